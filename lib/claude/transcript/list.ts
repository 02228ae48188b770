/**
 * Transcript list: every session on disk, newest first, a page at a time.
 *
 * Asks each file for its age and opens only those of the page, at both ends. A
 * page goes on behind the last row of the one before, by age and id, so a file
 * that changes in between is never told twice. No link is followed, except of a
 * project to another project.
 */
import { lstat } from "node:fs/promises";
import { join } from "node:path";
import { isRecord } from "../../schema/index.ts";
import {
  entries,
  isSessionId,
  projectDirectories,
  projectDirectory,
  realPath,
  type SessionFiles,
  staysBelow,
} from "./session-files.ts";
import { openPlain } from "./lines.ts";
import { summarize, type TranscriptSummary } from "./summary.ts";

export interface ListOptions {
  /** Where the projects are: `projectsDirectory(env)`. */
  readonly projects: string;
  /** Only the sessions of this directory. */
  readonly cwd?: string | undefined;
  /** What `nextCursor` was. */
  readonly cursor?: string | undefined;
  readonly pageSize?: number | undefined;
}

export interface ListedSession {
  readonly sessionId: string;
  readonly cwd: string;
  readonly title: string | undefined;
  /** ISO 8601. */
  readonly updatedAt: string;
}

export type ListedSessions =
  | {
      readonly kind: "page";
      readonly sessions: readonly ListedSession[];
      readonly nextCursor: string | undefined;
      /** Files with the name of a session that could not be read. */
      readonly unreadableCount: number;
    }
  | { readonly kind: "bad-cursor" };

const defaultPageSize = 50;

export async function listTranscripts(options: ListOptions): Promise<ListedSessions> {
  const after = options.cursor === undefined ? undefined : readCursor(options.cursor);
  if (after === "bad") return { kind: "bad-cursor" };
  const pageSize = Math.max(1, options.pageSize ?? defaultPageSize);
  const tally = { unreadable: 0 };
  const { directories, isWanted } = await scopeOf(options);
  const all = await filesIn(directories, tally);
  const rest = after === undefined ? all : all.filter((file) => order(after, file) < 0);
  const sessions: ListedSession[] = [];
  let last: Aged | undefined;
  let i = 0;
  while (i < rest.length && sessions.length < pageSize) {
    const batch = rest.slice(i, i + Math.min(readsAtOnce, pageSize - sessions.length));
    i += batch.length;
    const summaries = await Promise.all(batch.map((file) => summaryOf(file, tally)));
    for (const [at, summary] of summaries.entries()) {
      last = batch[at];
      if (last === undefined || summary === undefined || !isWanted(summary.cwd)) continue;
      const { sessionId, mtimeMs } = last;
      sessions.push({ sessionId, cwd: summary.cwd, title: summary.title, updatedAt: new Date(mtimeMs).toISOString() });
    }
  }
  const nextCursor = i < rest.length && last !== undefined ? writeCursor(last) : undefined;
  return { kind: "page", sessions, nextCursor, unreadableCount: tally.unreadable };
}

/** The directory a conversation was held in, as its row in the list names it; undefined when it has no row. */
export async function transcriptDirectory({ transcript }: SessionFiles): Promise<string | undefined> {
  return (await summaryOf({ path: transcript }, { unreadable: 0 }))?.cwd;
}

interface Aged {
  readonly sessionId: string;
  readonly mtimeMs: number;
}

interface AgedFile extends Aged {
  readonly path: string;
  readonly size: number;
}

interface Scope {
  readonly directories: readonly string[];
  readonly isWanted: (cwd: string) => boolean;
}

interface ReadCounts {
  unreadable: number;
}

/** Different directories may have one slug, so what the file says decides. */
async function scopeOf({ projects, cwd }: ListOptions): Promise<Scope> {
  if (cwd === undefined) return { directories: await projectDirectories(projects), isWanted: () => true };
  const directory = await projectDirectory(projects, cwd);
  const real = await realPath(cwd);
  const isInside = await staysBelow(projects, directory);
  return { directories: isInside ? [directory] : [], isWanted: (found) => found === cwd || found === real };
}

/** All files with the name of a session, newest first; of two with one id the newer. */
async function filesIn(directories: readonly string[], tally: ReadCounts): Promise<readonly AgedFile[]> {
  const paths: { readonly sessionId: string; readonly path: string }[] = [];
  await eachOf(directories, async (directory) => {
    for (const { name } of await entries(directory)) {
      const sessionId = name.endsWith(".jsonl") ? name.slice(0, -".jsonl".length) : "";
      if (isSessionId(sessionId)) paths.push({ sessionId, path: join(directory, name) });
    }
  });
  const found = new Map<string, AgedFile>();
  await eachOf(paths, async ({ sessionId, path }) => {
    const stat = await lstat(path).catch(() => undefined);
    if (stat === undefined || !stat.isFile()) return void tally.unreadable++;
    const { mtimeMs, size } = stat;
    const known = found.get(sessionId);
    if (size > 0 && (known === undefined || known.mtimeMs < mtimeMs))
      found.set(sessionId, { sessionId, path, mtimeMs, size });
  });
  return [...found.values()].toSorted(order);
}

/** Newest first; the id decides between files of one age. */
function order(left: Aged, right: Aged): number {
  if (left.mtimeMs !== right.mtimeMs) return right.mtimeMs - left.mtimeMs;
  return left.sessionId < right.sessionId ? -1 : left.sessionId > right.sessionId ? 1 : 0;
}

async function summaryOf({ path }: Pick<AgedFile, "path">, tally: ReadCounts): Promise<TranscriptSummary | undefined> {
  try {
    const file = await openPlain(path);
    try {
      const { size } = await file.stat();
      const read = async (from: number, to: number): Promise<string> => {
        const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(to - from), 0, to - from, from);
        return buffer.toString("utf8", 0, bytesRead);
      };
      // A small file is read in one piece, so that no line is lost in the middle.
      if (size <= 2 * edgeBytes) return summarize(await read(0, size), "");
      return summarize(await read(0, edgeBytes), await read(size - edgeBytes, size));
    } finally {
      await file.close();
    }
  } catch {
    tally.unreadable++;
    return undefined;
  }
}

/** Runs a few at a time: thousands at once would take every file handle. */
async function eachOf<T>(items: readonly T[], run: (item: T) => Promise<void>): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let item = items[next++]; item !== undefined; item = items[next++]) await run(item);
  };
  await Promise.all(Array.from({ length: Math.min(readsAtOnce, items.length) }, worker));
}

/** Opaque to clients: the last row's age and id. */
function writeCursor({ mtimeMs, sessionId }: Aged): string {
  return Buffer.from(JSON.stringify({ v: 1, mtimeMs, sessionId })).toString("base64url");
}

function readCursor(cursor: string): Aged | "bad" {
  try {
    const value: unknown = JSON.parse(Buffer.from(cursor, "base64url").toString("utf8"));
    if (!isRecord(value) || value["v"] !== 1) return "bad";
    const { mtimeMs, sessionId } = value;
    if (typeof mtimeMs !== "number" || typeof sessionId !== "string" || !isSessionId(sessionId)) return "bad";
    return { mtimeMs, sessionId };
  } catch {
    return "bad";
  }
}

const edgeBytes = 64 * 1024;
const readsAtOnce = 32;
