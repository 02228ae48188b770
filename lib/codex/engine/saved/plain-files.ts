/**
 * Reads and writes files that are reached without a link.
 *
 * A command in the sandbox can replace a file or a directory of the project by a link to
 * something outside of it. Bowline writes without that sandbox, so it follows no link below
 * the working directory, and outside of it none at all. A file with several names is not
 * written either: another name may be outside.
 */
import {
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, isAbsolute, join, parse, relative, resolve, sep } from "node:path";
import { EngineFailure } from "../../../engine/index.ts";
import { codeOf } from "../../../wire/index.ts";
import type { FileText } from "../../translate/index.ts";

/** Larger files are not restored. */
const maxFileBytes = 16 * 1024 * 1024;

export class PlainFiles {
  readonly #cwd: string;

  constructor(cwd: string) {
    this.#cwd = resolve(cwd);
  }

  /** The text of a file; null when there is nothing. Undefined for a link, what lies behind one, and what is no text. */
  read(path: string): FileText | undefined {
    try {
      if (!this.#isPlain(path)) return undefined;
      const facts = lstatSync(path, { throwIfNoEntry: false });
      if (facts === undefined) return null;
      if (!facts.isFile() || facts.nlink !== 1 || facts.size > maxFileBytes) return undefined;
      const bytes = readFileSync(path);
      const text = bytes.toString("utf8");
      return Buffer.byteLength(text) === bytes.length && !text.includes("\uFFFD") ? text : undefined;
    } catch {
      return undefined;
    }
  }

  /** Null removes the file. Throws an `EngineFailure` when it is not reached without a link, or cannot be written. */
  write(path: string, text: FileText): void {
    if (!this.#isPlain(path)) throw behindLink(path);
    try {
      if (text === null) return rmSync(path, { force: true });
      mkdirSync(dirname(path), { recursive: true });
      const file = openSync(path, constants.O_RDWR | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0));
      try {
        // Before anything of it is changed: what was opened must be what has this path.
        if (!this.#isPlain(path) || !isSame(file, path)) throw behindLink(path);
        ftruncateSync(file);
        writeFileSync(file, text);
      } finally {
        closeSync(file);
      }
    } catch (cause) {
      if (cause instanceof EngineFailure) throw cause;
      throw new EngineFailure("disk", `${path} could not be restored: ${codeOf(cause)}`, { cause });
    }
  }

  /** Whether neither the path nor a directory on the way to it is a link. The working directory may be behind one. */
  #isPlain(path: string): boolean {
    if (!isAbsolute(path)) return false;
    const fromCwd = relative(this.#cwd, path);
    const isBelow = fromCwd !== "" && fromCwd.split(sep)[0] !== ".." && !isAbsolute(fromCwd);
    const root = isBelow ? this.#cwd : parse(path).root;
    let at = root;
    for (const name of relative(root, path).split(sep)) {
      at = join(at, name);
      const facts = lstatSync(at, { throwIfNoEntry: false });
      if (facts === undefined) return true;
      if (facts.isSymbolicLink()) return false;
    }
    return true;
  }
}

function isSame(file: number, path: string): boolean {
  const [opened, named] = [fstatSync(file), lstatSync(path)];
  return opened.isFile() && opened.nlink === 1 && opened.ino === named.ino && opened.dev === named.dev;
}

function behindLink(path: string): EngineFailure {
  return new EngineFailure("refused", `${path} has become a link or lies behind one, so it is not restored`);
}
