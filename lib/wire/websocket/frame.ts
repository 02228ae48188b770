/**
 * Encodes WebSocket frames (RFC 6455, section 5.2).
 *
 * Frames are never fragmented. A client passes `newMask`, and every frame gets its own
 * key; a server's frames are not masked.
 */

export const opcodes = {
  continuation: 0x0,
  text: 0x1,
  binary: 0x2,
  close: 0x8,
  ping: 0x9,
  pong: 0xa,
} as const;

export type Opcode = (typeof opcodes)[keyof typeof opcodes];

/** A control frame has at most this many bytes of payload. */
export const maxControlBytes = 125;

/** Gives the masking key of the next frame: 4 bytes that nobody can predict. */
export type MaskSource = () => Uint8Array;

/** A text frame for each line. */
export function textFrames(lines: readonly string[], newMask?: MaskSource): Buffer {
  const sizes = lines.map((line) => Buffer.byteLength(line, "utf8"));
  const overhead = (size: number): number => headerBytes(size) + (newMask === undefined ? 0 : 4);
  const bytes = Buffer.allocUnsafe(sizes.reduce((sum, size) => sum + size + overhead(size), 0));
  let at = 0;
  for (let i = 0; i < lines.length; i++) {
    const size = sizes[i] ?? 0;
    const mask = newMask?.();
    at = writeHeader(bytes, at, opcodes.text, size, mask);
    bytes.write(lines[i] ?? "", at, size, "utf8");
    if (mask !== undefined) applyMask(bytes, at, at + size, mask, 0);
    at += size;
  }
  return bytes;
}

export function controlFrame(opcode: Opcode, payload: Uint8Array, newMask?: MaskSource): Buffer {
  const mask = newMask?.();
  const bytes = Buffer.alloc(headerBytes(payload.length) + (mask === undefined ? 0 : 4) + payload.length);
  const at = writeHeader(bytes, 0, opcode, payload.length, mask);
  bytes.set(payload, at);
  if (mask !== undefined) applyMask(bytes, at, bytes.length, mask, 0);
  return bytes;
}

/** Masks or unmasks `bytes` in place. `phase` is the position of `from` in the payload. */
export function applyMask(bytes: Uint8Array, from: number, to: number, mask: Uint8Array, phase: number): void {
  for (let i = from, at = phase; i < to; i++, at++) bytes[i] = (bytes[i] ?? 0) ^ (mask[at & 3] ?? 0);
}

function headerBytes(size: number): number {
  return size < 126 ? 2 : size < 0x10000 ? 4 : 10;
}

function writeHeader(bytes: Buffer, start: number, opcode: Opcode, size: number, mask: Uint8Array | undefined): number {
  const maskBit = mask === undefined ? 0 : 0x80;
  let at = start;
  bytes[at++] = 0x80 | opcode;
  if (size < 126) bytes[at++] = maskBit | size;
  else if (size < 0x10000) {
    bytes[at++] = maskBit | 126;
    at = bytes.writeUInt16BE(size, at);
  } else {
    bytes[at++] = maskBit | 127;
    at = bytes.writeUInt32BE(Math.floor(size / 0x1_0000_0000), at);
    at = bytes.writeUInt32BE(size % 0x1_0000_0000, at);
  }
  if (mask !== undefined) {
    bytes.set(mask, at);
    at += 4;
  }
  return at;
}
