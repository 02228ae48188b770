/**
 * Reads which directories of a project are submodules for git: those that its index has as
 * links to commits, whether `.gitmodules` names them or not.
 *
 * Reads versions 2 to 4 of the index with SHA-1. Any other index, a split one or one that is
 * too large is not understood.
 */
import { readFileSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

const maxIndexBytes = 64 * 1024 * 1024;
const headerBytes = 12;
/** The bytes of an entry before its name, and of the checksum at the end of the file. */
const fixedBytes = 62;
const checksumBytes = 20;
const linkMode = 0o160000;

/** The absolute paths of the links in the repository that `directory` is in; undefined when its index is not understood. */
export function gitLinksAround(directory: string): readonly string[] | undefined {
  for (let at = directory; ; at = dirname(at)) {
    const path = indexIn(at);
    if (path !== undefined) return linksIn(path)?.map((name) => join(at, name));
    if (at === dirname(at)) return [];
  }
}

/** The index of the repository whose working tree begins at this directory. */
function indexIn(directory: string): string | undefined {
  const path = join(directory, ".git");
  const facts = statSync(path, { throwIfNoEntry: false });
  if (facts === undefined) return undefined;
  if (facts.isDirectory()) return join(path, "index");
  // A linked worktree or a submodule: the file names the directory.
  const [, named = "."] = /^gitdir: ([^\r\n]{1,4096})/.exec(readFileSync(path, "utf8")) ?? [];
  return join(resolve(directory, named), "index");
}

function linksIn(path: string): readonly string[] | undefined {
  const facts = statSync(path, { throwIfNoEntry: false });
  if (facts === undefined) return [];
  if (!facts.isFile() || facts.size > maxIndexBytes) return undefined;
  const bytes = readFileSync(path);
  const version = bytes.length < headerBytes + checksumBytes ? 0 : bytes.readUInt32BE(4);
  if (bytes.toString("latin1", 0, 4) !== "DIRC" || version < 2 || version > 4) return undefined;
  const links: string[] = [];
  let name = "";
  let at = headerBytes;
  for (let left = bytes.readUInt32BE(8); left > 0; left--) {
    if (at + fixedBytes > bytes.length) return undefined;
    const isExtended = (bytes.readUInt16BE(at + fixedBytes - 2) & 0x4000) !== 0;
    let from = at + fixedBytes + (isExtended ? 2 : 0);
    let kept = "";
    if (version === 4) {
      const [removed, next] = offsetAt(bytes, from);
      if (removed > name.length) return undefined;
      kept = name.slice(0, name.length - removed);
      from = next;
    }
    const end = bytes.indexOf(0, from);
    if (end < 0) return undefined;
    // One character for each byte, as version 4 counts them.
    name = kept + bytes.toString("latin1", from, end);
    if (bytes.readUInt32BE(at + 24) === linkMode) links.push(Buffer.from(name, "latin1").toString());
    at = version === 4 ? end + 1 : at + (Math.floor((end - at) / 8) + 1) * 8;
  }
  // A split index has the other entries in another file.
  return bytes.toString("latin1", at, at + 4) === "link" || at > bytes.length - checksumBytes ? undefined : links;
}

/** A number as git writes it before a name in version 4, and where the name begins. */
function offsetAt(bytes: Buffer, from: number): readonly [value: number, next: number] {
  let at = from;
  let byte = bytes[at++] ?? 0;
  let value = byte & 127;
  while ((byte & 128) !== 0) {
    byte = bytes[at++] ?? 0;
    value = (value + 1) * 128 + (byte & 127);
  }
  return [value, at];
}
