/**
 * Makes a tar.gz or zip archive of files, with the same bytes each time.
 *
 * Contains no user, machine or build time: every entry has the time it is given, entries
 * keep their order, and gzip's header does not name the system.
 */
import { crc32, deflateRawSync, gzipSync } from "node:zlib";

export interface Entry {
  readonly name: string;
  readonly data: Buffer;
  readonly isExecutable: boolean;
}

export function tarGz(entries: readonly Entry[], timeSeconds: number): Buffer {
  const blocks = entries.flatMap(({ name, data, isExecutable }) => [
    tarHeader(name, data.length, isExecutable ? 0o755 : 0o644, timeSeconds),
    data,
    Buffer.alloc((tarBlock - (data.length % tarBlock)) % tarBlock),
  ]);
  const packed = gzipSync(Buffer.concat([...blocks, Buffer.alloc(2 * tarBlock)]), { level: 9 });
  // RFC 1952: byte 9 is the operating system; 255 is "unknown".
  packed[9] = 255;
  return packed;
}

export function zip(entries: readonly Entry[], timeSeconds: number): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, data, isExecutable } of entries) {
    const packed = deflateRawSync(data, { level: 9 });
    const path = Buffer.from(name);
    // APPNOTE 4.3.7: from "version needed to extract" to the extra field's length.
    const common = fields([20, 0x0800, 8], dosTime(timeSeconds), [
      [crc32(data), packed.length, data.length],
      [path.length, 0],
    ]);
    const local = Buffer.concat([signature(0x04034b50), common, path, packed]);
    const central = Buffer.alloc(14);
    // No comment, disk 0, no internal attributes; the Unix mode; the offset of the entry.
    central.writeUInt32LE(((0o100000 | (isExecutable ? 0o755 : 0o644)) << 16) >>> 0, 6);
    central.writeUInt32LE(offset, 10);
    directory.push(signature(0x02014b50), shorts([(3 << 8) | 20]), common, central, path);
    parts.push(local);
    offset += local.length;
  }
  const index = Buffer.concat(directory);
  const end = Buffer.concat([
    signature(0x06054b50),
    shorts([0, 0, entries.length, entries.length]),
    longs([index.length, offset]),
    shorts([0]),
  ]);
  return Buffer.concat([...parts, index, end]);
}

const tarBlock = 512;

/** POSIX.1-1988 ustar; owner and group stay empty. */
function tarHeader(name: string, size: number, mode: number, timeSeconds: number): Buffer {
  if (Buffer.byteLength(name) > 100) throw new RangeError(`${name} is too long a name for a tar`);
  const header = Buffer.alloc(tarBlock);
  const octal = (value: number, at: number, length: number): void => {
    header.write(`${value.toString(8).padStart(length - 1, "0")}\0`, at, "latin1");
  };
  header.write(name, 0, "utf8");
  octal(mode, 100, 8);
  octal(0, 108, 8);
  octal(0, 116, 8);
  octal(size, 124, 12);
  octal(timeSeconds, 136, 12);
  header.fill(" ", 148, 156);
  header.write("0", 156, "latin1");
  header.write("ustar\x0000", 257, "latin1");
  // The sum of all bytes, its own field counted as spaces.
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148, "latin1");
  return header;
}

/** MS-DOS time has a resolution of two seconds and begins with 1980. */
function dosTime(timeSeconds: number): readonly [time: number, date: number] {
  const at = new Date(timeSeconds * 1000);
  if (at.getUTCFullYear() < 1980) throw new RangeError("a zip cannot tell a time before 1980");
  const time = (at.getUTCHours() << 11) | (at.getUTCMinutes() << 5) | (at.getUTCSeconds() >> 1);
  const date = ((at.getUTCFullYear() - 1980) << 9) | ((at.getUTCMonth() + 1) << 5) | at.getUTCDate();
  return [time, date];
}

function fields(
  head: readonly number[],
  time: readonly number[],
  [sizes, lengths]: readonly [readonly number[], readonly number[]],
): Buffer {
  return Buffer.concat([shorts(head), shorts(time), longs(sizes), shorts(lengths)]);
}

function signature(value: number): Buffer {
  return longs([value]);
}

function shorts(values: readonly number[]): Buffer {
  const buffer = Buffer.alloc(values.length * 2);
  for (const [i, value] of values.entries()) buffer.writeUInt16LE(value, i * 2);
  return buffer;
}

function longs(values: readonly number[]): Buffer {
  const buffer = Buffer.alloc(values.length * 4);
  for (const [i, value] of values.entries()) buffer.writeUInt32LE(value, i * 4);
  return buffer;
}
