/**
 * Lists the sessions on disk, newest first, one page at a time.
 *
 * Takes the modification time of every file but opens only the files of the page, and reads
 * only their beginning and end. The cursor is the time and id of the last row, so a file
 * that changes between two pages is never listed twice. Follows no symbolic link, except a
 * project directory that links to another project directory.
 */
import { lstat } from "node:fs/promises";
import { join } from "node:path";
import { pathBelow } from "../../display/index.ts";
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
  /** The directory of all projects: `projectsDirectory(env)`. */
  readonly projects: string;
  /** Lists only the sessions of this working directory. */
  readonly cwd?: string | undefined;
  /** The `nextCursor` of the previous page. */
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
      /** The number of session files that could not be read. */
      readonly unreadableCount: number;
    }
  | { readonly kind: "bad-cursor" };

const defaultPageSize = 50;

/** Lists the conversations that the CLI has saved, the newest first. */
export async function listTranscripts(options: ListOptions): Promise<ListedSessions> {
  const after = options.cursor === undefined ? undefined : readCursor(options.cursor);
  if (after === "bad") return { kind: "bad-cursor" };
  const pageSize = Math.max(1, options.pageSize ?? defaultPageSize);
  const counts = { unreadable: 0 };
  const { directories, isWanted } = await scopeOf(options);
  const all = await filesIn(directories, counts);
  const rest = after === undefined ? all : all.filter((file) => compareNewestFirst(after, file) < 0);
  const sessions: ListedSession[] = [];
  let last: SortKey | undefined;
  let i = 0;
  while (i < rest.length && sessions.length < pageSize) {
    const batch = rest.slice(i, i + Math.min(maxReadsAtOnce, pageSize - sessions.length));
    i += batch.length;
    const summaries = await Promise.all(batch.map((file) => summaryOf(file, counts)));
    for (const [at, summary] of summaries.entries()) {
      last = batch[at];
      if (last === undefined || summary === undefined || !isWanted(summary.cwd)) continue;
      const { sessionId, mtimeMs } = last;
      sessions.push({ sessionId, cwd: summary.cwd, title: summary.title, updatedAt: new Date(mtimeMs).toISOString() });
    }
  }
  const nextCursor = i < rest.length && last !== undefined ? writeCursor(last) : undefined;
  return { kind: "page", sessions, nextCursor, unreadableCount: counts.unreadable };
}

/** The working directory of a session, as the list shows it; undefined when the session is not listed. */
export async function transcriptDirectory({ transcript }: SessionFiles): Promise<string | undefined> {
  return (await summaryOf({ path: transcript }, { unreadable: 0 }))?.cwd;
}

interface SortKey {
  readonly sessionId: string;
  readonly mtimeMs: number;
}

interface SessionFile extends SortKey {
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

/** Different working directories can share a slug, so the `cwd` inside each file decides. */
async function scopeOf({ projects, cwd }: ListOptions): Promise<Scope> {
  if (cwd === undefined) return { directories: await projectDirectories(projects), isWanted: () => true };
  const directory = await projectDirectory(projects, cwd);
  const real = await realPath(cwd);
  const isInside = await staysBelow(projects, directory);
  return {
    directories: isInside ? [directory] : [],
    isWanted: (found) => [cwd, real].some((one) => pathBelow(found, one) === ""),
  };
}

/** All files named after a session id, newest first. Of two files with the same id, only the newer one. */
async function filesIn(directories: readonly string[], counts: ReadCounts): Promise<readonly SessionFile[]> {
  const paths: { readonly sessionId: string; readonly path: string }[] = [];
  await forEachLimited(directories, async (directory) => {
    for (const { name } of await entries(directory)) {
      const sessionId = name.endsWith(".jsonl") ? name.slice(0, -".jsonl".length) : "";
      if (isSessionId(sessionId)) paths.push({ sessionId, path: join(directory, name) });
    }
  });
  const found = new Map<string, SessionFile>();
  await forEachLimited(paths, async ({ sessionId, path }) => {
    const stat = await lstat(path).catch(() => undefined);
    if (stat === undefined || !stat.isFile()) return void counts.unreadable++;
    const { mtimeMs, size } = stat;
    const known = found.get(sessionId);
    if (size > 0 && (known === undefined || known.mtimeMs < mtimeMs))
      found.set(sessionId, { sessionId, path, mtimeMs, size });
  });
  return [...found.values()].toSorted(compareNewestFirst);
}

/** Newest first. The id decides between files with the same time. */
function compareNewestFirst(left: SortKey, right: SortKey): number {
  if (left.mtimeMs !== right.mtimeMs) return right.mtimeMs - left.mtimeMs;
  return left.sessionId < right.sessionId ? -1 : left.sessionId > right.sessionId ? 1 : 0;
}

async function summaryOf(
  { path }: Pick<SessionFile, "path">,
  counts: ReadCounts,
): Promise<TranscriptSummary | undefined> {
  try {
    const file = await openPlain(path);
    try {
      const { size } = await file.stat();
      const read = async (from: number, to: number): Promise<string> => {
        const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(to - from), 0, to - from, from);
        return buffer.toString("utf8", 0, bytesRead);
      };
      // A small file is read whole, so that no line is lost in the middle.
      if (size <= 2 * edgeBytes) return summarize(await read(0, size), "");
      return summarize(await read(0, edgeBytes), await read(size - edgeBytes, size));
    } finally {
      await file.close();
    }
  } catch {
    counts.unreadable++;
    return undefined;
  }
}

/** Runs a limited number at once: thousands would use up the file handles. */
async function forEachLimited<T>(items: readonly T[], run: (item: T) => Promise<void>): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let item = items[next++]; item !== undefined; item = items[next++]) await run(item);
  };
  await Promise.all(Array.from({ length: Math.min(maxReadsAtOnce, items.length) }, worker));
}

/** The time and id of the last row. Opaque to clients. */
function writeCursor({ mtimeMs, sessionId }: SortKey): string {
  return Buffer.from(JSON.stringify({ v: 1, mtimeMs, sessionId })).toString("base64url");
}

function readCursor(cursor: string): SortKey | "bad" {
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
const maxReadsAtOnce = 32;
