/**
 * Writes a file for the user; failures become messages.
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
