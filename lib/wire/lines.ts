/**
 * Lines: bytes in, whole lines out.
 *
 * Looks at each byte once and keeps only the unfinished tail, so a line that
 * arrives in a thousand pieces costs its length once. A line that is too long or
 * not UTF-8 is reported and skipped; the next one is read as usual. Knows
 * nothing of JSON.
 */
import { isUtf8 } from "node:buffer";
import { Tail } from "./tail.ts";

export const defaultMaxLineBytes = 32 * 1024 * 1024;

/** Why a line could not be handed over. It is gone; the stream goes on. */
export type LineFault =
  | { readonly kind: "too-long"; readonly maxLineBytes: number }
  | { readonly kind: "invalid-utf8" };

export interface LineEnds {
  /** A line without its ending, never blank. */
  readonly onLine: (line: string) => void;
  readonly onFault: (fault: LineFault) => void;
}

export interface LineReader {
  readonly push: (chunk: Uint8Array) => void;
  /** Hands over a last line that has no newline. */
  readonly end: () => void;
}

export function lineReader(ends: LineEnds, maxLineBytes: number = defaultMaxLineBytes): LineReader {
  const tail = new Tail();
  let isFirstLine = true;
  let isSkipping = false;

  return { push, end };

  function push(chunk: Uint8Array): void {
    const bytes = asBuffer(chunk);
    let start = 0;
    if (isSkipping || tail.length > 0) {
      const newline = firstNewline(bytes);
      if (newline < 0) return keep(bytes);
      finish(bytes.subarray(0, newline));
      start = newline + 1;
    }
    const last = lastNewline(bytes);
    if (last >= start) {
      emitAll(bytes.subarray(start, last));
      start = last + 1;
    }
    if (start < bytes.length) keep(start === 0 ? bytes : bytes.subarray(start));
  }

  function end(): void {
    if (isSkipping || tail.length > 0) finish(empty);
  }

  /** Adds to the unfinished line, or gives it up once it is too long. */
  function keep(part: Buffer): void {
    if (isSkipping) return;
    if (tail.length + part.length > maxLineBytes) {
      tail.clear();
      isSkipping = true;
      ends.onFault({ kind: "too-long", maxLineBytes });
      return;
    }
    tail.append(part);
  }

  /** Completes the unfinished line with its last part. */
  function finish(part: Buffer): void {
    keep(part);
    if (isSkipping) {
      isSkipping = false;
      isFirstLine = false;
      return;
    }
    const line = tail.take();
    // Cleared first: were `onLine` to throw, the next line must not start with this one.
    tail.clear();
    emitAll(line);
  }

  /**
   * Hands over every line of a region. Decoding the region once and slicing the
   * text is twice as fast for small messages as decoding each line (`npm run bench
   * -- decode`); a region with a bad line in it is taken apart line by line.
   */
  function emitAll(region: Buffer): void {
    if (region.length > maxLineBytes || !isUtf8(region)) {
      for (let start = 0; start <= region.length;) {
        const newline = region.indexOf(newlineByte, start);
        const stop = newline < 0 ? region.length : newline;
        emitBytes(region.subarray(start, stop));
        start = stop + 1;
      }
      return;
    }
    const text = region.toString("utf8");
    let start = 0;
    for (let newline = text.indexOf("\n"); newline >= 0; newline = text.indexOf("\n", start)) {
      emit(text, start, newline);
      start = newline + 1;
    }
    emit(text, start, text.length);
  }

  function emitBytes(line: Buffer): void {
    if (line.length > maxLineBytes) ends.onFault({ kind: "too-long", maxLineBytes });
    else if (!isUtf8(line)) ends.onFault({ kind: "invalid-utf8" });
    else return emit(line.toString("utf8"), 0, line.length);
    isFirstLine = false;
  }

  function emit(text: string, from: number, to: number): void {
    let start = from;
    let stop = Math.min(to, text.length);
    if (isFirstLine) {
      isFirstLine = false;
      if (text.charCodeAt(start) === byteOrderMark) start++;
    }
    if (text.charCodeAt(stop - 1) === carriageReturn) stop--;
    if (stop <= start) return;
    const line = start === 0 && stop === text.length ? text : text.slice(start, stop);
    if (line.charCodeAt(0) <= space && isBlank(line)) return;
    ends.onLine(line);
  }
}

const newlineByte = 10;
const carriageReturn = 13;
const space = 32;
const byteOrderMark = 0xfeff;
const empty = Buffer.alloc(0);

/** Below this a plain loop beats the native search and copy, whose call alone costs more. */
const smallChunk = 32;

function firstNewline(bytes: Buffer): number {
  if (bytes.length > smallChunk) return bytes.indexOf(newlineByte);
  for (let i = 0; i < bytes.length; i++) if (bytes[i] === newlineByte) return i;
  return -1;
}

function lastNewline(bytes: Buffer): number {
  if (bytes.length > smallChunk) return bytes.lastIndexOf(newlineByte);
  for (let i = bytes.length - 1; i >= 0; i--) if (bytes[i] === newlineByte) return i;
  return -1;
}

function isBlank(line: string): boolean {
  for (let i = 0; i < line.length; i++) {
    const code = line.charCodeAt(i);
    if (code !== space && code !== 9 && code !== carriageReturn) return false;
  }
  return true;
}

function asBuffer(chunk: Uint8Array): Buffer {
  return Buffer.isBuffer(chunk) ? chunk : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
}
