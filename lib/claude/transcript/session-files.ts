/**
 * Project: where the CLI keeps its conversations on disk.
 *
 * One directory for each working directory, named by a slug of its path, with a
 * file and perhaps a directory for each session. An id is never joined into a
 * path before it is known to be a UUID, and no link is followed that leads out.
 */
import type { Dirent } from "node:fs";
import { lstat, readdir, realpath, rm } from "node:fs/promises";
import { homedir } from "node:os";
import { join, sep } from "node:path";
import type { Environment } from "../process/environment.ts";

export interface SessionFiles {
  readonly sessionId: string;
  /** One line for each thing that happened. */
  readonly transcript: string;
  /** Subagents' transcripts and long tool results; there only when there are any. */
  readonly directory: string;
}

/** The CLI's own directory, as the CLI finds it. */
export function configDirectory(env: Environment): string {
  const home = env["HOME"] || env["USERPROFILE"] || homedir();
  return env["CLAUDE_CONFIG_DIR"] || join(home, ".claude");
}

export function projectsDirectory(env: Environment): string {
  return join(configDirectory(env), "projects");
}

/** A path as the CLI names the directory that belongs to it. `path` has no links left in it. */
export function projectSlug(path: string): string {
  const slug = path.replaceAll(/[^a-zA-Z0-9]/g, "-");
  return slug.length <= maxSlugChars ? slug : `${slug.slice(0, maxSlugChars)}-${hash(path)}`;
}

/** The directory of a working directory's sessions, whether it is there or not. */
export async function projectDirectory(projects: string, cwd: string): Promise<string> {
  return join(projects, projectSlug(await realPath(cwd)));
}

/** The only ids the CLI gives, and the only ones that may become part of a path. */
export function isSessionId(id: string): boolean {
  return /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(id);
}

/** Undefined for anything but a session id. */
export function sessionFiles(project: string, sessionId: string): SessionFiles | undefined {
  if (!isSessionId(sessionId)) return undefined;
  return { sessionId, transcript: join(project, `${sessionId}.jsonl`), directory: join(project, sessionId) };
}

/** Looks for a session in every project, since it may be resumed from anywhere; the newest when there are several. */
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

/** Forgets a session: its file and what lies beside it. */
export async function removeSession({ transcript, directory }: SessionFiles): Promise<void> {
  await rm(transcript, { force: true });
  await rm(directory, { force: true, recursive: true });
}

/** Every project's directory. One that is a link counts when it stays among the projects, where it is found anyway. */
export async function projectDirectories(projects: string): Promise<readonly string[]> {
  return (await entries(projects)).filter((entry) => entry.isDirectory()).map(({ name }) => join(projects, name));
}

/** What is in a directory; nothing when it cannot be read. */
export async function entries(directory: string): Promise<readonly Dirent[]> {
  return readdir(directory, { withFileTypes: true }).catch(() => []);
}

/** Whether a path, with all its links followed, is `root` or lies below it. */
export async function staysBelow(root: string, path: string): Promise<boolean> {
  const [top, real] = await Promise.all([realPath(root), realPath(path)]);
  return real === top || real.startsWith(top.endsWith(sep) ? top : top + sep);
}

/** A path without links; the path itself when nothing is there. */
export async function realPath(path: string): Promise<string> {
  return realpath(path).catch(() => path);
}

const maxSlugChars = 200;

/** The CLI's own: tried with 2.1.325 on paths past 200 characters, composed and decomposed ones among them. */
function hash(text: string): string {
  let sum = 0;
  for (let i = 0; i < text.length; i++) sum = (Math.imul(sum, 31) + text.charCodeAt(i)) | 0;
  return Math.abs(sum).toString(36);
}
