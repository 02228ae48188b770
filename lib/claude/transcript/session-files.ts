/**
 * Locates the files in which the CLI stores its sessions.
 *
 * Each working directory has one project directory, named by a slug of its path. It holds
 * one transcript per session, and a directory for sessions that need one. A session id is
 * joined into a path only after it is known to be a UUID. Symbolic links that lead out of
 * the projects directory are not followed.
 */
import type { Dirent } from "node:fs";
import { lstat, readdir, realpath, rm } from "node:fs/promises";
import { homedir } from "node:os";
import { join, sep } from "node:path";
import { withoutLongPrefix } from "../../display/index.ts";
import type { Environment } from "../process/environment.ts";

export interface SessionFiles {
  readonly sessionId: string;
  /** The JSON Lines file of the conversation. */
  readonly transcript: string;
  /** The directory of subagents' transcripts and long tool results. Exists only when there are any. */
  readonly directory: string;
}

/** The CLI's configuration directory, determined as the CLI does it. */
export function configDirectory(env: Environment): string {
  const home = env["HOME"] || env["USERPROFILE"] || homedir();
  return env["CLAUDE_CONFIG_DIR"] || join(home, ".claude");
}

export function projectsDirectory(env: Environment): string {
  return join(configDirectory(env), "projects");
}

/** The name of the project directory of a working directory. `path` must have its symbolic links resolved. */
export function projectSlug(path: string): string {
  const slug = path.replaceAll(/[^a-zA-Z0-9]/g, "-");
  return slug.length <= maxSlugChars ? slug : `${slug.slice(0, maxSlugChars)}-${hash(path)}`;
}

/** The project directory of a working directory. It may not exist. */
export async function projectDirectory(projects: string, cwd: string): Promise<string> {
  return join(projects, projectSlug(await realPath(cwd)));
}

/** Whether an id is a UUID. The CLI uses no other ids, and no other id may become part of a path. */
export function isSessionId(id: string): boolean {
  return /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(id);
}

/** Undefined when `sessionId` is not a session id. */
export function sessionFiles(project: string, sessionId: string): SessionFiles | undefined {
  if (!isSessionId(sessionId)) return undefined;
  return { sessionId, transcript: join(project, `${sessionId}.jsonl`), directory: join(project, sessionId) };
}

/** Searches all projects for a session, because it can be resumed from any directory. Returns the newest of several. */
export async function findSession(projects: string, sessionId: string): Promise<SessionFiles | undefined> {
  if (!isSessionId(sessionId)) return undefined;
  let found: { readonly files: SessionFiles; readonly mtimeMs: number } | undefined;
  for (const project of await projectDirectories(projects)) {
    const files = sessionFiles(project, sessionId);
    const stat = files && (await lstat(files.transcript).catch(() => undefined));
    if (files === undefined || stat === undefined || !stat.isFile()) continue;
    if (found === undefined || stat.mtimeMs > found.mtimeMs) found = { files, mtimeMs: stat.mtimeMs };
  }
  return found?.files;
}

/** Deletes a session: its transcript and its directory. */
export async function removeSession({ transcript, directory }: SessionFiles): Promise<void> {
  await rm(transcript, { force: true });
  await rm(directory, { force: true, recursive: true });
}

/** All project directories. Symbolic links are left out: one to another project would only list that project twice. */
export async function projectDirectories(projects: string): Promise<readonly string[]> {
  return (await entries(projects)).filter((entry) => entry.isDirectory()).map(({ name }) => join(projects, name));
}

/** The entries of a directory; none when it cannot be read. */
export async function entries(directory: string): Promise<readonly Dirent[]> {
  return readdir(directory, { withFileTypes: true }).catch(() => []);
}

/** Whether a path, with its symbolic links resolved, is `root` or lies below it. */
export async function staysBelow(root: string, path: string): Promise<boolean> {
  const [top, real] = await Promise.all([realPath(root), realPath(path)]);
  return real === top || real.startsWith(top.endsWith(sep) ? top : top + sep);
}

/** The path with its symbolic links resolved; the path itself when it does not exist. */
export async function realPath(path: string): Promise<string> {
  const plain = withoutLongPrefix(path);
  return realpath(plain).catch(() => plain);
}

const maxSlugChars = 200;

/** The CLI's hash. Compared with CLI 2.1.325 on paths of more than 200 characters, in NFC and NFD. */
function hash(text: string): string {
  let sum = 0;
  for (let i = 0; i < text.length; i++) sum = (Math.imul(sum, 31) + text.charCodeAt(i)) | 0;
  return Math.abs(sum).toString(36);
}
