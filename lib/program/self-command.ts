/**
 * The command line that starts this program, for settings of editors.
 *
 * Paths are absolute, because editors that are started from a desktop often have another
 * PATH than the user's shell.
 */
import { resolve } from "node:path";
import { isSingleExecutable } from "../wire/index.ts";

export function selfCommand(): readonly [command: string, ...args: string[]] {
  if (isSingleExecutable()) return [process.execPath];
  const [script = ""] = process.argv.slice(1, 2);
  return [process.execPath, ...process.execArgv, resolve(script)];
}
