/**
 * Remembers the files that the model has read or written, with their text.
 *
 * The tools change a file only if the model knows its current text. Keeps at most
 * `maxKnownChars` of text and forgets the oldest files first; a forgotten file has to
 * be read again.
 */
import type { DiskFacts } from "./file-access.ts";

export interface KnownFile {
  /** The whole text when it was read or written; undefined when only a part was read. */
  readonly text: string | undefined;
  /** The file's size and time on disk at that moment; undefined when there was no file. */
  readonly disk: DiskFacts | undefined;
  /** The text in the editor was the same as on disk. */
  readonly isSaved: boolean;
}

const maxKnownChars = 32 * 1024 * 1024;

export class KnownFiles {
  readonly #known = new Map<string, KnownFile>();
  #chars = 0;

  get(path: string): KnownFile | undefined {
    return this.#known.get(path);
  }

  set(path: string, known: KnownFile): void {
    this.#forget(path);
    this.#known.set(path, known);
    this.#chars += known.text?.length ?? 0;
    for (const [oldest] of this.#known) {
      if (this.#chars <= maxKnownChars || oldest === path) return;
      this.#forget(oldest);
    }
  }

  #forget(path: string): void {
    this.#chars -= this.#known.get(path)?.text?.length ?? 0;
    this.#known.delete(path);
  }
}

/** Whether a file on disk is unchanged, judged by its size and modification time. */
export function isSameFile(left: DiskFacts | undefined, right: DiskFacts | undefined): boolean {
  return left?.changedMs === right?.changedMs && left?.sizeBytes === right?.sizeBytes;
}
