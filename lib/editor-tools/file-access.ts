/**
 * The interfaces through which the tools reach files in the editor and on disk, and
 * the detection of text files and their encoding.
 *
 * The agent module implements the interfaces; tests implement them with maps.
 */

/** The editor's files, with unsaved text. Both functions reject when the editor refuses. */
export interface EditorFiles {
  /** Rejects with `EditorSilent` when no answer comes. */
  readonly read: (path: string) => Promise<string>;
  /** Rejects too when the signal aborts; the editor may have written then. */
  readonly write: (path: string, text: string, signal: AbortSignal) => Promise<void>;
}

/** The editor has not answered, so its text is not known. An answer that is too long for one message is none. */
export class EditorSilent extends Error {
  override readonly name = "EditorSilent";
}

export interface DiskFacts {
  readonly isDirectory: boolean;
  /** False for directories, devices, pipes and sockets. */
  readonly isFile: boolean;
  /** How many names the file has on disk. */
  readonly linkCount: number;
  readonly sizeBytes: number;
  readonly changedMs: number;
}

/** The disk. For a missing file `facts` resolves with undefined and `read` rejects. */
export interface Disk {
  readonly facts: (path: string) => Promise<DiskFacts | undefined>;
  readonly read: (path: string) => Promise<Uint8Array>;
  readonly write: (path: string, text: string) => Promise<void>;
  readonly isLink: (path: string) => Promise<boolean>;
  /** The path with every link resolved, also links to nothing. Names that do not exist are kept. */
  readonly real: (path: string) => Promise<string>;
}

/** The first bytes of PNG, JPEG and GIF images. */
const imageSignatures: readonly (readonly number[])[] = [
  [0x89, 0x50, 0x4e, 0x47],
  [0xff, 0xd8, 0xff],
  [0x47, 0x49, 0x46, 0x38],
];

/** How many bytes are searched for a NUL byte. */
const headBytes = 8192;

/** False for images, PDF files and files with a NUL byte. */
export function isText(bytes: Uint8Array): boolean {
  if (imageSignatures.some((signature) => signature.every((byte, i) => bytes[i] === byte))) return false;
  if (ascii(bytes.subarray(0, 4)) === "RIFF" && ascii(bytes.subarray(8, 12)) === "WEBP") return false;
  if (ascii(bytes.subarray(0, 5)) === "%PDF-") return false;
  // UTF-16 text contains NUL bytes; its byte order mark identifies it.
  const isUtf16 = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
  return isUtf16 || !bytes.subarray(0, headBytes).includes(0);
}

/** Whether the bytes are UTF-8 as a whole. */
export function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}

/** Decodes the text of a file. A byte order mark is kept. */
export function decode(bytes: Uint8Array): string {
  const name =
    bytes[0] === 0xff && bytes[1] === 0xfe ? "utf-16le" : bytes[0] === 0xfe && bytes[1] === 0xff ? "utf-16be" : "utf-8";
  return new TextDecoder(name, { ignoreBOM: true }).decode(bytes);
}

function ascii(bytes: Uint8Array): string {
  return String.fromCharCode(...bytes);
}
