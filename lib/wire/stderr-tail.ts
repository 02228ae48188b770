/**
 * Last words: the end of what a program writes to stderr, which mostly says why it
 * ended.
 */
import type { Readable } from "node:stream";

/** How much is kept. */
export const maxStderrTailChars = 8 * 1024;

export class StderrTail {
  #tail = "";

  /** `onText` sees all of it as it comes. */
  constructor(stderr: Readable, onText?: (text: string) => void) {
    stderr.setEncoding("utf8");
    stderr.on("error", () => {});
    stderr.on("data", (text: string) => {
      this.#tail = (this.#tail + text).slice(-maxStderrTailChars);
      onText?.(text);
    });
  }

  get text(): string {
    // The cut may have left half a character.
    return this.#tail.replace(/^\p{Surrogate}/u, "");
  }
}
