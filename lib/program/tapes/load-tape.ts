/**
 * Reads a tape file for a command, as a whole or row by row; failures become messages for the user.
 */
import { closeSync, openSync, readSync, statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { StringDecoder } from "node:string_decoder";
import { type Row, rowsIn } from "../../tape/index.ts";
import { codeOf } from "../../wire/index.ts";
import { CommandFailure } from "../command.ts";

export interface TapeInput {
  readonly text: string;
  readonly rows: readonly Row[];
}

const pieceBytes = 1 << 20;

export async function readTapeFile(path: string): Promise<TapeInput> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (cause) {
    throw unreadable(path, cause);
  }
  return readTapeText(text, path);
}

/** Rows that can be gone through several times and are read from the file each time; a pipe is read once, as a whole. */
export async function tapeFileRows(path: string): Promise<Iterable<Row>> {
  const isFile = statSync(path, { throwIfNoEntry: false })?.isFile() === true;
  return isFile
    ? { [Symbol.iterator]: () => checkedRows(rowsIn(piecesOf(path)), path) }
    : (await readTapeFile(path)).rows;
}

export function readTapeText(text: string, path: string): TapeInput {
  return { text, rows: [...checkedRows(rowsIn([text]), path)] };
}

function* piecesOf(path: string): Generator<string, void> {
  let file: number | undefined;
  try {
    file = openSync(path, "r");
    const decoder = new StringDecoder("utf8");
    const buffer = Buffer.allocUnsafe(pieceBytes);
    for (let bytes; (bytes = readSync(file, buffer)) > 0;) yield decoder.write(buffer.subarray(0, bytes));
    yield decoder.end();
  } catch (cause) {
    throw unreadable(path, cause);
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

function unreadable(path: string, cause: unknown): CommandFailure {
  return new CommandFailure(`${path} cannot be read (${codeOf(cause)}); give the path of a tape`, { cause });
}

/** Throws a `CommandFailure` at a row that cannot be read, and when there is none. */
function* checkedRows(rows: Iterable<Row>, path: string): Generator<Row, void> {
  let isEmpty = true;
  try {
    for (const row of rows) {
      isEmpty = false;
      yield row;
    }
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause;
    throw new CommandFailure(`${path} is not a tape: ${cause.message}`, { cause });
  }
  if (isEmpty)
    throw new CommandFailure(`${path} is not a tape: it has no rows; record one with bowline record or bowline tap`);
}
