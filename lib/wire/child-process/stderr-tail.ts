/**
 * Keeps the end of what a child process writes to stderr, which usually says why it
 * exited.
 */
import type { Readable } from "node:stream";

export const maxStderrTailChars = 8 * 1024;

export class StderrTail {
  #tail = "";

  /** `onText` receives all of the text as it arrives. */
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
