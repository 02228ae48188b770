/**
 * Cuts a byte stream into chunks in every way that may matter.
 */
import { type LineFault, lineReader } from "../../../lib/wire/index.ts";

/** Reads chunks to their end; a line becomes its text, a fault a list with its kind. */
export function readChunks(chunks: Iterable<Uint8Array>, maxLineBytes?: number): (string | LineFault["kind"][])[] {
  const reported: (string | LineFault["kind"][])[] = [];
  const reader = lineReader(
    { onLine: (line) => reported.push(line), onFault: ({ kind }) => reported.push([kind]) },
    maxLineBytes,
  );
  for (const chunk of chunks) reader.push(chunk);
  reader.end();
  return reported;
}

/** The bytes whole, cut in two at every boundary, and in pieces of every size. */
export function* everyCut(bytes: Uint8Array, maxSize = bytes.length): Generator<readonly Uint8Array[]> {
  yield [bytes];
  for (let at = 0; at <= bytes.length; at++) yield [bytes.subarray(0, at), bytes.subarray(at)];
  for (let size = 1; size <= maxSize; size++) yield inPieces(bytes, size);
}

export function inPieces(bytes: Uint8Array, size: number): Uint8Array[] {
  const pieces: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += size) pieces.push(bytes.subarray(at, at + size));
  return pieces;
}
