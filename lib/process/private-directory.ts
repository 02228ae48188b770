/**
 * The directory for the program's files: below XDG_STATE_HOME, or LOCALAPPDATA on Windows.
 *
 * Files that decide what a CLI runs when it starts (MCP servers, settings) are there too, and not
 * in the temporary directory: the sandbox of Codex lets commands write there, and such a command
 * could replace them.
 */
import { lstatSync, mkdirSync } from "node:fs";
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import type { Environment } from "./environment.ts";

export function stateDirectory(env: Environment, platform: string = process.platform): string {
  const { XDG_STATE_HOME, LOCALAPPDATA, HOME, USERPROFILE } = env;
  const home = HOME || USERPROFILE || homedir();
  const named = platform === "win32" ? LOCALAPPDATA : XDG_STATE_HOME;
  // The XDG specification says that relative paths must be ignored.
  const state = named !== undefined && isAbsolute(named) ? named : join(home, ".local", "state");
  return join(state, "bowline");
}

/** The directory of files that last as long as a run of the program. It may not exist. */
export function runDirectory(env: Environment): string {
  return join(stateDirectory(env), "run");
}

/** The directory exists, and others could write to it. The message is a sentence for the user. */
export class NotPrivate extends Error {
  override readonly name = "NotPrivate";
}

/** Creates a directory that only this user can enter. Throws `NotPrivate`, or the error of the system. */
export function makePrivateDirectory(path: string): string {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  if (!isPrivateDirectory(path)) throw new NotPrivate(`${path} must be a directory that only you can open (mode 700)`);
  return path;
}

/** A directory of this user, not a link, that others cannot enter. On Windows the user's profile is private. */
export function isPrivateDirectory(path: string): boolean {
  const facts = lstatSync(path, { throwIfNoEntry: false });
  if (facts === undefined || !facts.isDirectory()) return false;
  return process.platform === "win32" || (facts.uid === process.getuid?.() && (facts.mode & 0o077) === 0);
}
