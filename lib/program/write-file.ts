/**
 * Writes a file that the user asked a command for, such as an export or a report.
 *
 * A file that cannot be written ends the command: the `CommandFailure` names the path and the
 * error code of the system.
 */
import { writeFileSync } from "node:fs";
import { codeOf } from "../wire/index.ts";
import { CommandFailure } from "./command.ts";

/** A new file can be read only by its owner, because conversations hold private text. */
export function writePrivateFile(path: string, text: string): void {
  write(path, text, 0o600);
}

/** Writes a file that others may read, such as a report for CI. */
export function writeSharedFile(path: string, text: string): void {
  write(path, text, 0o666);
}

function write(path: string, text: string, mode: number): void {
  try {
    writeFileSync(path, text, { mode });
  } catch (cause) {
    throw new CommandFailure(`${path} cannot be written (${codeOf(cause)})`, { cause });
  }
}
