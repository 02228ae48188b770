/**
 * Memory: the files the model has read, as it knows them.
 *
 * A file the model does not know it may not overwrite. Holds a bounded amount of
 * text; what is forgotten has to be read again.
 */
import type { DiskFacts } from "./file-access.ts";

export interface KnownFile {
  /** The whole text when it was read or written; undefined when only a part was read. */
  readonly text: string | undefined;
  /** The disk at that time; undefined when there was no file. */
  readonly disk: DiskFacts | undefined;
  /** The editor had the same text as the disk. */
  readonly isSaved: boolean;
}

/** The most text that is remembered, in characters. */
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

/** Whether a file on disk is the one it was, as far as that shows without reading it. */
export function isSameFile(left: DiskFacts | undefined, right: DiskFacts | undefined): boolean {
  return left?.changedMs === right?.changedMs && left?.sizeBytes === right?.sizeBytes;
}
