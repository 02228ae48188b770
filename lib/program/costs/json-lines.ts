/**
 * Reads a file of JSON lines that another program writes, one chunk at a time.
 *
 * Only lines whose text shows that they are needed are parsed: most lines of a saved
 * conversation are long and say nothing about what is looked for. Lines that are no JSON object, or
 * too long, are left out.
 */
import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { type Fields, isRecord } from "../../schema/index.ts";
import { lineReader, parseBoundedJson } from "../../wire/index.ts";

const maxLineBytes = 64 * 1024 * 1024;
const chunkBytes = 1024 * 1024;

/** Follows no symbolic link. `onLine` may end the reading. Returns false when the file cannot be read. */
export function readJsonLines(
  path: string,
  isWanted: (line: string) => boolean,
  onLine: (fields: Fields) => "go on" | "stop" | void,
): boolean {
  let file: number;
  try {
    file = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
  } catch {
    return false;
  }
  try {
    if (!fstatSync(file).isFile()) return false;
    let isStopped = false;
    const reader = lineReader(
      {
        onLine: (line) => {
          if (isStopped || !isWanted(line)) return;
          const fields = parseBoundedJson(line);
          if (isRecord(fields)) isStopped = onLine(fields) === "stop";
        },
        onFault: () => {},
      },
      maxLineBytes,
    );
    while (!isStopped) {
      // A new buffer each time, because the line reader may keep the one it was given.
      const buffer = Buffer.allocUnsafe(chunkBytes);
      const bytes = readSync(file, buffer, 0, chunkBytes, null);
      if (bytes === 0) break;
      reader.push(buffer.subarray(0, bytes));
    }
    reader.end();
    return true;
  } catch {
    return false;
  } finally {
    closeSync(file);
  }
}

/** Whether a line contains one of these words. */
export function hasWord(...words: readonly string[]): (line: string) => boolean {
  return (line) => words.some((word) => line.includes(word));
}

/** A count; 0 for anything that is no whole number from 0 on. */
export function countIn(fields: Fields, key: string): number {
  const value = fields[key];
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : 0;
}

/** The day of a timestamp in the user's time zone, as year-month-day; "unknown" when it is none. */
export function dayOf(timestamp: unknown): string {
  const date = new Date(typeof timestamp === "string" || typeof timestamp === "number" ? timestamp : Number.NaN);
  if (Number.isNaN(date.getTime())) return "unknown";
  const two = (value: number): string => String(value).padStart(2, "0");
  return `${String(date.getFullYear()).padStart(4, "0")}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}
