/**
 * Remembers what was shown of a command's output, and finds what was not.
 *
 * Codex sends output piece by piece, but not the piece from before the command was
 * announced. That piece is only in the whole output, which comes when the command has ended.
 */
import { sliceWhole } from "../../../schema/index.ts";

/** How much of the shown output is kept to find it again. */
const maxMarkChars = 512;
/** How much output is held for a client that shows it only when the command has ended. */
const maxHeldChars = 64 * 1024;

export interface MissingOutput {
  readonly before: string;
  readonly after: string;
}

export class LiveOutput {
  #count = 0;
  #head = "";
  #tail = "";
  #held = "";

  add(text: string): void {
    this.#count += text.length;
    if (this.#head.length < maxMarkChars) this.#head += text.slice(0, maxMarkChars - this.#head.length);
    this.#tail = (this.#tail + text).slice(-maxMarkChars);
    if (this.#held.length < maxHeldChars) this.#held += sliceWhole(text, maxHeldChars - this.#held.length);
  }

  get isEmpty(): boolean {
    return this.#count === 0;
  }

  /** The first part of what was added. */
  get held(): string {
    return this.#held;
  }

  /** The parts of `whole` that were not added, before and after those that were. */
  missing(whole: string): MissingOutput {
    if (this.#count === 0) return { before: "", after: whole };
    const atEnd = whole.length - this.#count;
    if (this.#isAt(whole, atEnd)) return { before: whole.slice(0, atEnd), after: "" };
    const found = whole.indexOf(this.#head);
    if (found < 0) return { before: "", after: "" };
    const isWhole = this.#isAt(whole, found);
    return { before: whole.slice(0, found), after: isWhole ? whole.slice(found + this.#count) : "" };
  }

  #isAt(whole: string, at: number): boolean {
    const end = at + this.#count;
    return (
      at >= 0 && end <= whole.length && whole.startsWith(this.#head, at) && whole.slice(0, end).endsWith(this.#tail)
    );
  }
}
