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

/** Gives the masking key of the next frame: 4 unpredictable bytes. */
export type MaskSource = () => Uint8Array;

/** Node writes a string of this length without a buffer on the heap. */
const maxPlainChars = 16_000;

/**
 * The frame of one short line in ASCII, unmasked, as text in which each character is a byte: writing it
 * takes less time than making a buffer. Undefined for any other line.
 */
export function plainFrame(line: string): string | undefined {
  const size = line.length;
  if (size > maxPlainChars || Buffer.byteLength(line, "utf8") !== size) return undefined;
  const first = 0x80 | opcodes.text;
  return size < 126
    ? String.fromCharCode(first, size) + line
    : String.fromCharCode(first, 126, size >> 8, size & 0xff) + line;
}

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
  // Four at a time: the key's bytes are read once, and a message of 100 bytes takes a third of the time.
  const a = mask[phase & 3] ?? 0;
  const b = mask[(phase + 1) & 3] ?? 0;
  const c = mask[(phase + 2) & 3] ?? 0;
  const d = mask[(phase + 3) & 3] ?? 0;
  let i = from;
  for (; i + 3 < to; i += 4) {
    bytes[i] = (bytes[i] ?? 0) ^ a;
    bytes[i + 1] = (bytes[i + 1] ?? 0) ^ b;
    bytes[i + 2] = (bytes[i + 2] ?? 0) ^ c;
    bytes[i + 3] = (bytes[i + 3] ?? 0) ^ d;
  }
  if (i < to) bytes[i] = (bytes[i] ?? 0) ^ a;
  if (i + 1 < to) bytes[i + 1] = (bytes[i + 1] ?? 0) ^ b;
  if (i + 2 < to) bytes[i + 2] = (bytes[i + 2] ?? 0) ^ c;
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
