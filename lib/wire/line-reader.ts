/**
 * Splits a byte stream into lines, and parses lines as JSON.
 *
 * Scans each byte once and buffers only the unfinished last line, so a line that
 * arrives in a thousand chunks costs time proportional to its length. A line that is
 * too long or not UTF-8 is reported and skipped; the next line is read as usual.
 * The reader does not parse lines.
 */
import { isAscii, isUtf8 } from "node:buffer";
import { ByteBuffer } from "./byte-buffer.ts";

export const defaultMaxLineBytes = 32 * 1024 * 1024;

/** Why a line was skipped. */
export type LineFault =
  | { readonly kind: "too-long"; readonly maxLineBytes: number }
  | { readonly kind: "invalid-utf8" };

export interface LineCallbacks {
  /** Receives a line without its line ending. Blank lines are left out. */
  readonly onLine: (line: string) => void;
  readonly onFault: (fault: LineFault) => void;
}

export interface LineReader {
  readonly push: (chunk: Uint8Array) => void;
  /** Emits a last line that has no newline. */
  readonly end: () => void;
}

/** The value of a line of JSON; undefined when it is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Deeper values than this cannot be relied on to be written again: `JSON.stringify` recurses. */
const maxJsonDepth = 1000;

/**
 * The value of a line that will be written again, compared or walked through: undefined also when
 * it is nested so deeply that this could overflow the stack.
 */
export function parseBoundedJson(text: string): unknown {
  return isTooDeep(text) ? undefined : parseJson(text);
}

function isTooDeep(text: string): boolean {
  if (text.length <= maxJsonDepth) return false;
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const char = text.charCodeAt(at);
    if (char === 0x22) {
      do at = text.indexOf('"', at + 1);
      while (at >= 0 && isEscaped(text, at));
      if (at < 0) return false;
    } else if (char === 0x7b || char === 0x5b) {
      if (++depth > maxJsonDepth) return true;
    } else if (char === 0x7d || char === 0x5d) depth--;
  }
  return false;
}

/** Whether an odd number of backslashes precedes a character. */
function isEscaped(text: string, at: number): boolean {
  let from = at;
  while (text[from - 1] === "\\") from--;
  return (at - from) % 2 === 1;
}

/** Splits chunks of bytes into lines and reports lines that are too long. */
export function lineReader(callbacks: LineCallbacks, maxLineBytes: number = defaultMaxLineBytes): LineReader {
  // The unfinished line: the decoded beginning of a long line, and the bytes after it.
  let head = "";
  let headBytes = 0;
  const tail = new ByteBuffer();
  let isFirstLine = true;
  let isSkipping = false;

  return { push, end };

  function push(chunk: Uint8Array): void {
    const bytes = asBuffer(chunk);
    let start = 0;
    if (isSkipping || tail.length > 0 || head !== "") {
      const newline = firstNewline(bytes);
      if (newline < 0) return keep(bytes);
      finish(bytes.subarray(0, newline));
      start = newline + 1;
    }
    const last = lastNewline(bytes);
    if (last >= start) {
      emitAll(bytes, start, last);
      start = last + 1;
    }
    if (start < bytes.length) keep(start === 0 ? bytes : bytes.subarray(start));
  }

  function end(): void {
    if (isSkipping || tail.length > 0 || head !== "") finish(empty);
  }

  /** Appends to the unfinished line, or skips the line once it is too long. */
  function keep(part: Buffer): void {
    if (isSkipping) return;
    if (headBytes + tail.length + part.length > maxLineBytes) return skip({ kind: "too-long", maxLineBytes });
    tail.append(part);
    if (tail.length >= longBytes) growHead();
  }

  /**
   * Decodes the buffered part of a long line, up to its last whole character. The bytes
   * are then still in the CPU cache, so a 50 MB line takes two thirds of the time that
   * buffering all of it and decoding it at its end takes (`npm run bench -- decode`).
   */
  function growHead(): void {
    const bytes = tail.take();
    const cut = lastBoundary(bytes);
    const text = decode(bytes.subarray(0, cut));
    if (text === undefined) return skip({ kind: "invalid-utf8" });
    head += text;
    headBytes += cut;
    tail.drop(cut);
  }

  /** Completes the unfinished line with its last part. */
  function finish(part: Buffer): void {
    keep(part);
    if (isSkipping) {
      isSkipping = false;
      isFirstLine = false;
      return;
    }
    const begun = head;
    const rest = decode(tail.take());
    // Cleared first: if `onLine` throws, the next line must not start with this one.
    clear();
    if (rest === undefined) fail({ kind: "invalid-utf8" });
    else emit(begun === "" ? rest : begun + rest);
  }

  /** Drops the unfinished line and everything up to its newline. */
  function skip(fault: LineFault): void {
    clear();
    isSkipping = true;
    callbacks.onFault(fault);
  }

  function clear(): void {
    head = "";
    headBytes = 0;
    tail.clear();
  }

  /**
   * Emits every line of a region. An ASCII region is decoded as a whole and then sliced,
   * in a third of the time that decoding each line takes. Any other region is decoded
   * line by line: decoded as a whole, one wide character would give every line two bytes
   * per character and slow JSON.parse down for all of them (0.77 of the floor instead of
   * 0.65; `npm run bench -- decode`).
   */
  function emitAll(bytes: Buffer, from: number, to: number): void {
    if (to - from > maxLineBytes || !isAscii(bytes)) return emitEach(bytes.subarray(from, to));
    const text = bytes.toString("latin1", from, to);
    let start = 0;
    for (let newline = text.indexOf("\n"); newline >= 0; newline = text.indexOf("\n", start)) {
      emit(text, start, newline);
      start = newline + 1;
    }
    emit(text, start);
  }

  function emitEach(region: Buffer): void {
    const isValid = isUtf8(region);
    for (let start = 0; start <= region.length;) {
      const newline = region.indexOf(newlineByte, start);
      const stop = newline < 0 ? region.length : newline;
      if (isValid && stop - start <= maxLineBytes) emit(region.toString("utf8", start, stop));
      else emitBytes(region.subarray(start, stop));
      start = stop + 1;
    }
  }

  function emitBytes(line: Buffer): void {
    if (line.length > maxLineBytes) return fail({ kind: "too-long", maxLineBytes });
    const text = decode(line);
    if (text === undefined) fail({ kind: "invalid-utf8" });
    else emit(text);
  }

  function fail(fault: LineFault): void {
    isFirstLine = false;
    callbacks.onFault(fault);
  }

  function emit(text: string, from = 0, to = text.length): void {
    let start = from;
    let stop = to;
    if (isFirstLine) {
      isFirstLine = false;
      if (text.charCodeAt(start) === byteOrderMark) start++;
    }
    if (text.charCodeAt(stop - 1) === carriageReturn) stop--;
    if (stop <= start) return;
    const line = start === 0 && stop === text.length ? text : text.slice(start, stop);
    if (line.charCodeAt(0) <= space && isBlank(line)) return;
    callbacks.onLine(line);
  }
}

const newlineByte = 10;
const carriageReturn = 13;
const space = 32;
const byteOrderMark = 0xfeff;
const empty = Buffer.alloc(0);

/** An unfinished line of this size is decoded as it arrives; Node keeps strings of this size outside its heap. */
const longBytes = 1024 * 1024;

/** For chunks up to this size a plain loop is faster than a call of the native search. */
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

/** Undefined when the bytes are not UTF-8. */
function decode(bytes: Buffer): string | undefined {
  if (isAscii(bytes)) return bytes.toString("latin1");
  return isUtf8(bytes) ? bytes.toString("utf8") : undefined;
}

/** The offset of the last character if it may be incomplete; else the length. */
function lastBoundary(bytes: Buffer): number {
  const { length } = bytes;
  for (let start = length - 1; start >= Math.max(0, length - 4); start--) {
    const byte = bytes[start] ?? 0;
    if (byte < 0x80) return start + 1;
    if (byte >= 0xc0) return start;
  }
  return length;
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
