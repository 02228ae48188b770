/**
 * Reads a tape file for a command; failures become messages for the user.
 */
import { readFile } from "node:fs/promises";
import { readRows, type Row } from "../../tape/index.ts";
import { codeOf } from "../../wire/index.ts";
import { CommandFailure } from "../command.ts";

export interface TapeInput {
  readonly text: string;
  readonly rows: readonly Row[];
}

export async function readTapeFile(path: string): Promise<TapeInput> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (cause) {
    throw new CommandFailure(`${path} cannot be read (${codeOf(cause)}); give the path of a tape`, { cause });
  }
  return readTapeText(text, path);
}

export function readTapeText(text: string, path: string): TapeInput {
  try {
    const rows = readRows(text);
    if (rows.length > 0) return { text, rows };
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause;
    throw new CommandFailure(`${path} is no tape: ${cause.message}`, { cause });
  }
  throw new CommandFailure(`${path} is no tape: it has no rows; record one with bowline record or bowline tap`);
}
