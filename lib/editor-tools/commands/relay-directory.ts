/**
 * Decides whether the files of the command relay are out of reach of the session's commands.
 *
 * The CLI runs the relay's program in the place of its shell. In a mode that accepts edits, the
 * CLI lets commands write below the session's directories without a question. A command could
 * replace the program there, and the CLI's next command would run the replacement.
 */
import { realpathSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { isBelow } from "../protected-paths.ts";

/** Why the relay must not keep its files in `relayDirectory`; undefined when it may. */
export function relayDirectoryObstacle(
  relayDirectory: string,
  sessionDirectories: readonly string[],
): string | undefined {
  const roots = sessionDirectories.map(realPath);
  const isReachable = (path: string): boolean => roots.some((one) => path === one || isBelow(path, one));
  if (!placesOf(relayDirectory).some(isReachable)) return undefined;
  return "the session's directory contains Bowline's own files, which a command could replace; set XDG_STATE_HOME to a directory outside of it";
}

/** Where each name of a path is found. A link below a session's directory can be replaced, wherever it leads. */
function placesOf(path: string): readonly string[] {
  const parent = dirname(path);
  return parent === path ? [path] : [...placesOf(parent), join(realPath(parent), basename(path)), realPath(path)];
}

/** Resolves the links of a path, and of the part that exists when not all of it does. */
function realPath(path: string): string {
  try {
    // The native function also gives the names their case on a file system that ignores case.
    return realpathSync.native(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(realPath(parent), basename(path));
  }
}
