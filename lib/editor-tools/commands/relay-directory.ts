/**
 * Where the files of the command relay are, and whether they are out of reach of the session's commands.
 *
 * The CLI runs the relay's program in the place of its shell. Rules and modes let tools and commands
 * write files without a question, and one that replaced the program would be run by the CLI's next
 * command. So it lies beside the scripts that the CLI itself reads before each command: the CLI
 * refuses or asks before anything there is changed, whatever rule allows edits, also by another
 * path. In a session that contains them the relay is not used, because Codex does not ask.
 */
import { realpathSync } from "node:fs";
import { basename, dirname, isAbsolute, join } from "node:path";
import { configDirectory } from "../../claude/index.ts";
import type { Environment } from "../../process/index.ts";
import { isBelow } from "../protected-paths.ts";

export function relayDirectory(env: Environment): string {
  return join(configDirectory(env), "shell-snapshots", "bowline");
}

/** Why the relay must not keep its files in `directory`; undefined when it may. */
export function relayDirectoryObstacle(directory: string, sessionDirectories: readonly string[]): string | undefined {
  // The CLI and this program may work in different directories.
  if (!isAbsolute(directory)) return "CLAUDE_CONFIG_DIR is a relative path";
  const roots = sessionDirectories.map(realPath);
  const isReachable = (path: string): boolean => roots.some((one) => path === one || isBelow(path, one));
  const isInside = roots.some((one) => isBelow(one, realPath(directory)));
  if (!isInside && !placesOf(directory).some(isReachable)) return undefined;
  return "the session's directory contains Bowline's own files, which a command could replace: they are in Claude's configuration directory";
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
