/**
 * Buffers the bytes of an unfinished line or WebSocket message.
 *
 * Grows by doubling, so appending costs linear time for pieces of any size. A
 * large buffer is released as soon as its line or message is complete.
 */

const initialBytes = 4 * 1024;
/** A larger buffer is not kept for the next line. */
const maxKeptBytes = 256 * 1024;
/** For pieces up to this size a plain loop is faster than a call of `set`. */
const smallPiece = 32;

export class ByteBuffer {
  #bytes = Buffer.allocUnsafeSlow(initialBytes);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  append(piece: Uint8Array): void {
    const length = this.#length + piece.length;
    if (length > this.#bytes.length) this.#grow(length);
    const bytes = this.#bytes;
    if (piece.length > smallPiece) bytes.set(piece, this.#length);
    else for (let i = 0, at = this.#length; i < piece.length; i++, at++) bytes[at] = piece[i] ?? 0;
    this.#length = length;
  }

  /** A view of the buffered bytes, valid until the next `append`. */
  take(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  /** Removes the first bytes and keeps the capacity for more of the same line. */
  drop(count: number): void {
    this.#bytes.copyWithin(0, count, this.#length);
    this.#length -= count;
  }

  clear(): void {
    this.#length = 0;
    if (this.#bytes.length > maxKeptBytes) this.#bytes = Buffer.allocUnsafeSlow(initialBytes);
  }

  #grow(needed: number): void {
    const grown = Buffer.allocUnsafeSlow(Math.max(needed, this.#bytes.length * 2));
    grown.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = grown;
  }
}
