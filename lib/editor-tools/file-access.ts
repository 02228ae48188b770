/**
 * The interfaces through which the tools reach files in the editor and on disk, and
 * the detection of a file's kind and encoding.
 *
 * The agent module implements the interfaces; tests implement them with maps.
 */

/** The editor's files, with unsaved text. Both functions reject when the editor refuses. */
export interface EditorFiles {
  readonly read: (path: string) => Promise<string>;
  readonly write: (path: string, text: string) => Promise<void>;
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
  /** The path with every link resolved. Names that do not exist are kept. */
  readonly real: (path: string) => Promise<string>;
}

export type FileKind = "text" | "image" | "pdf" | "binary";

const signatures: readonly (readonly [mimeType: string, bytes: readonly number[]])[] = [
  ["image/png", [0x89, 0x50, 0x4e, 0x47]],
  ["image/jpeg", [0xff, 0xd8, 0xff]],
  ["image/gif", [0x47, 0x49, 0x46, 0x38]],
  ["image/webp", [0x52, 0x49, 0x46, 0x46]],
];

/** How many bytes are searched for a NUL byte. */
const headBytes = 8192;

/** The MIME type of an image that the model can see; undefined for anything else. */
function imageType(bytes: Uint8Array): string | undefined {
  const [found] = signatures.find(([, start]) => start.every((byte, i) => bytes[i] === byte)) ?? [];
  if (found === "image/webp" && ascii(bytes.subarray(8, 12)) !== "WEBP") return undefined;
  return found;
}

export function kindOf(bytes: Uint8Array): FileKind {
  if (imageType(bytes) !== undefined) return "image";
  if (ascii(bytes.subarray(0, 5)) === "%PDF-") return "pdf";
  // UTF-16 text contains NUL bytes; its byte order mark identifies it.
  const isWide = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
  return !isWide && bytes.subarray(0, headBytes).includes(0) ? "binary" : "text";
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
