/**
 * Reads a small file that must be a regular one.
 *
 * Never waits and never reads more than `maxBytes`: a named pipe without a writer would
 * block the open, and a device such as /dev/zero has no end.
 */
import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";

export interface SmallFileOptions {
  readonly maxBytes: number;
  /** Whether the path may be a symbolic link to the file. */
  readonly followsLinks: boolean;
}

/** The path leads to something that is not read; the message continues a sentence about it. */
export class NotSmallFile extends Error {
  override readonly name = "NotSmallFile";
}

/** Throws `NotSmallFile`, or the error of the system. */
export function readSmallFile(path: string, { maxBytes, followsLinks }: SmallFileOptions): string {
  const noFollow = followsLinks ? 0 : (constants.O_NOFOLLOW ?? 0);
  const file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | noFollow);
  try {
    const facts = fstatSync(file);
    if (facts.isDirectory()) throw new NotSmallFile("is a directory");
    if (!facts.isFile()) throw new NotSmallFile("is not a regular file");
    if (facts.size > maxBytes) throw new NotSmallFile(`is over ${maxBytes} bytes`);
    // One byte more than allowed shows that the file has grown since.
    const bytes = Buffer.allocUnsafe(maxBytes + 1);
    let length = 0;
    for (let read = -1; read !== 0 && length <= maxBytes; length += read)
      read = readSync(file, bytes, length, bytes.length - length, null);
    if (length > maxBytes) throw new NotSmallFile(`is over ${maxBytes} bytes`);
    return bytes.toString("utf8", 0, length);
  } finally {
    closeSync(file);
  }
}
