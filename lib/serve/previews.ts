/**
 * Previews of the files that a session has made.
 *
 * A page asks for a preview with its token and gets an address with a secret of its own,
 * which a frame can load without the token. What is served there never runs on the
 * page's origin: the response's policy puts HTML and SVG into a sandbox with an opaque
 * origin, and allows no connection to anywhere. A page is always shown in a frame, also in
 * a tab of its own: only the page around it can keep a script from navigating to an address
 * with data in it.
 */
import { randomBytes } from "node:crypto";
import { constants, open, realpath } from "node:fs/promises";
import { basename, dirname, extname, join, relative, sep } from "node:path";
import { HttpError } from "./http-error.ts";

/** Files larger than this are not served. */
const maxFileBytes = 16 * 1024 * 1024;
/** Previews that can be loaded at once; the oldest are dropped. */
const maxPreviews = 64;
/** How long a preview can be loaded. */
const lifeMs = 30 * 60_000;

/** How a page shows a file. */
export type PreviewKind = "page" | "svg" | "image" | "pdf" | "markdown" | "text" | "other";

interface FileType {
  readonly kind: PreviewKind;
  readonly type: string;
}

const page = { kind: "page", type: "text/html; charset=utf-8" } as const;
const text = { kind: "text", type: "text/plain; charset=utf-8" } as const;
const other = { kind: "other", type: "application/octet-stream" } as const;

/** The types that are served, by file name extension; every other file is for download only. */
const types: ReadonlyMap<string, FileType> = new Map<string, FileType>([
  [".html", page],
  [".htm", page],
  [".svg", { kind: "svg", type: "image/svg+xml" }],
  [".png", { kind: "image", type: "image/png" }],
  [".jpg", { kind: "image", type: "image/jpeg" }],
  [".jpeg", { kind: "image", type: "image/jpeg" }],
  [".gif", { kind: "image", type: "image/gif" }],
  [".webp", { kind: "image", type: "image/webp" }],
  [".avif", { kind: "image", type: "image/avif" }],
  [".bmp", { kind: "image", type: "image/bmp" }],
  [".ico", { kind: "image", type: "image/x-icon" }],
  [".pdf", { kind: "pdf", type: "application/pdf" }],
  [".md", { kind: "markdown", type: text.type }],
  [".markdown", { kind: "markdown", type: text.type }],
  ...[".txt", ".csv", ".tsv", ".log", ".xml", ".rst", ".tex", ".json", ".yaml", ".yml"].map(
    (extension): [string, FileType] => [extension, text],
  ),
]);

/** What a page in a preview may load from its own directory, besides the types above. */
const assets: ReadonlyMap<string, string> = new Map([
  [".css", "text/css; charset=utf-8"],
  [".js", "text/javascript; charset=utf-8"],
  [".mjs", "text/javascript; charset=utf-8"],
  [".woff", "font/woff"],
  [".woff2", "font/woff2"],
  [".ttf", "font/ttf"],
  [".otf", "font/otf"],
  [".mp3", "audio/mpeg"],
  [".wav", "audio/wav"],
  [".mp4", "video/mp4"],
  [".webm", "video/webm"],
]);

export interface Preview {
  /** The path of the address to load, with its secret. */
  readonly url: string;
  readonly name: string;
  readonly kind: PreviewKind;
  readonly bytes: number;
}

export interface PreviewFile {
  readonly bytes: Buffer;
  readonly headers: Readonly<Record<string, string>>;
}

export interface PreviewRequest {
  /** The browser is to save the file. */
  readonly isDownload: boolean;
  /** The preview is to fill a tab. */
  readonly isTab: boolean;
  /** The checked Host header. */
  readonly host: string;
}

interface OpenPreview {
  /** The file, with links resolved. */
  readonly path: string;
  readonly kind: PreviewKind;
  readonly endsAtMs: number;
}

export class Previews {
  readonly #open = new Map<string, OpenPreview>();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Offers a file. `path` must be one that may be read, with its links resolved. */
  async offer(path: string): Promise<Preview> {
    const bytes = (await readWhole(path)).length;
    const { kind } = typeOf(path);
    const secret = randomBytes(32).toString("base64url");
    this.#open.set(secret, { path, kind, endsAtMs: this.#now() + lifeMs });
    const [oldest] = this.#open.keys();
    if (this.#open.size > maxPreviews && oldest !== undefined) this.#open.delete(oldest);
    const name = basename(path);
    return { url: `previews/${secret}/${encodeURIComponent(name)}`, name, kind, bytes };
  }

  /** Reads the file of a preview, or for a page another file of its directory. */
  async read(
    secret: string,
    names: readonly string[],
    { isDownload, isTab, host }: PreviewRequest,
  ): Promise<PreviewFile> {
    const preview = this.#open.get(secret);
    if (preview === undefined || preview.endsAtMs < this.#now()) throw gone();
    const path = await pathIn(preview, names);
    const bytes = await readWhole(path);
    const { kind } = typeOf(path);
    const type = assets.get(extname(path).toLowerCase()) ?? typeOf(path).type;
    const name = encodeURIComponent(basename(path)).replaceAll("'", "%27");
    const own = `${host}/previews/${secret}/`;
    if (isTab && kind === "page") return framed(name, own);
    return {
      bytes,
      headers: {
        "content-type": type,
        "content-security-policy": policy(kind, own),
        // Looking up a name is a connection too.
        "x-dns-prefetch-control": "off",
        ...(isDownload && { "content-disposition": `attachment; filename*=UTF-8''${name}` }),
      },
    };
  }
}

/** A page without scripts that shows a preview in a frame and lets the frame go nowhere else. */
function framed(name: string, own: string): PreviewFile {
  const html = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Preview</title>
<style>body{margin:0}iframe{position:fixed;inset:0;width:100%;height:100%;border:0}</style></head>
<body><iframe src="./${name}" title="Preview" sandbox="allow-scripts" referrerpolicy="no-referrer"></iframe></body></html>
`;
  const rules = [...common("'none'"), "style-src 'unsafe-inline'", `frame-src ${own}`];
  return {
    bytes: Buffer.from(html),
    headers: { "content-type": page.type, "content-security-policy": rules.join("; ") },
  };
}

/** The rules of every preview. */
function common(ancestors: string): readonly string[] {
  return ["default-src 'none'", "base-uri 'none'", "form-action 'none'", `frame-ancestors ${ancestors}`];
}

/** Resolves links before the check: a link could lead out of the directory. */
async function pathIn({ path, kind }: OpenPreview, names: readonly string[]): Promise<string> {
  const decoded = names.map(decodedName);
  if (decoded.length === 1 && decoded[0] === basename(path)) {
    // By now it may be a link, or be behind one.
    if ((await realpath(path).catch(() => undefined)) !== path) throw gone();
    return path;
  }
  // Hidden files and directories hold what no page needs: settings, keys, the history of a repository.
  if (kind !== "page" || decoded.some((name) => name === "" || /^\.|[/\\\0]/.test(name))) throw gone();
  const root = dirname(path);
  const real = await realpath(join(root, ...decoded)).catch(() => undefined);
  const inside = real === undefined ? ".." : relative(root, real);
  if (real === undefined || inside.split(sep).some((part) => part.startsWith("."))) throw gone();
  const extension = extname(real).toLowerCase();
  if (!assets.has(extension) && !types.has(extension)) throw gone();
  return real;
}

function decodedName(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    throw gone();
  }
}

/** Reads a regular file; never waits for a pipe or a device. */
async function readWhole(path: string): Promise<Buffer> {
  // Without O_NONBLOCK a named pipe would block the open, and with four of them all file access of the server.
  const flags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0);
  const file = await open(path, flags).catch(() => undefined);
  if (file === undefined) throw new HttpError("not_found", "the file is no longer there");
  try {
    const { size, isFile } = await file.stat().then((stat) => ({ size: stat.size, isFile: stat.isFile() }));
    if (!isFile) throw new HttpError("not_found", "the file is no longer there");
    if (size > maxFileBytes) throw new HttpError("too_large", `files above ${maxFileBytes} bytes are not served`);
    const bytes = Buffer.alloc(size);
    const { bytesRead } = await file.read(bytes, 0, size, 0);
    return bytes.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

function typeOf(path: string): FileType {
  return types.get(extname(path).toLowerCase()) ?? other;
}

/**
 * The policy of a preview. A page may run its own scripts, in a sandbox without an origin, and load
 * only from its own directory. A PDF has no sandbox, because browsers show none in one; their viewer
 * gives its scripts no access to the page.
 */
function policy(kind: PreviewKind, own: string): string {
  const base = common("'self'");
  switch (kind) {
    case "page":
      return [
        ...base,
        "sandbox allow-scripts",
        `script-src 'unsafe-inline' ${own}`,
        `style-src 'unsafe-inline' ${own}`,
        `img-src data: blob: ${own}`,
        `font-src data: ${own}`,
        `media-src data: blob: ${own}`,
        "connect-src 'none'",
        // Not every browser knows this one yet.
        "webrtc 'block'",
      ].join("; ");
    case "svg":
      return [...base, "sandbox", "style-src 'unsafe-inline'", "img-src data:"].join("; ");
    case "pdf":
      return [...base, "object-src 'self'"].join("; ");
    case "image":
    case "markdown":
    case "text":
    case "other":
      return [...base, "sandbox"].join("; ");
  }
}

function gone(): HttpError {
  return new HttpError("not_found", "there is no such preview");
}
