/**
 * The output of one running command: what was shown of it, what waits to be shown, and what
 * of the whole output was never shown.
 *
 * Codex sends output piece by piece, but not the piece from before the command was
 * announced. That piece is only in the whole output, which comes when the command has ended.
 */
import { maxTailChars } from "../../../display/index.ts";
import { sliceWhole } from "../../../schema/index.ts";

/** The most that is shown of a command while it runs, where pieces are appended. The end comes with its result. */
export const maxLiveChars = 256 * 1024;
/** How much of the shown output is kept to find it again. */
const maxMarkChars = 512;
/** How much output is held for a client that shows it only when the command has ended. */
const maxHeldChars = 64 * 1024;

export interface MissingOutput {
  readonly before: string;
  readonly after: string;
}

export class CodexOutput {
  /** The length of what was added, up to `maxLiveChars`. */
  #count = 0;
  #head = "";
  #mark = "";
  #held = "";
  #tail = "";
  #pending = "";
  #hasNew = false;

  add(text: string): void {
    this.#hasNew = true;
    this.#tail = (this.#tail + text).slice(-maxTailChars - 1);
    if (this.#held.length < maxHeldChars) this.#held += sliceWhole(text, maxHeldChars - this.#held.length);
    const live = this.#count + text.length <= maxLiveChars ? text : sliceWhole(text, maxLiveChars - this.#count);
    if (live === "") return;
    this.#count += live.length;
    this.#pending += live;
    if (this.#head.length < maxMarkChars) this.#head += live.slice(0, maxMarkChars - this.#head.length);
    this.#mark = (this.#mark + live).slice(-maxMarkChars);
  }

  /** The first part of what was added. */
  get held(): string {
    return this.#held;
  }

  /** Whether no part of the added output has been taken. */
  get isUntaken(): boolean {
    return this.#pending.length === this.#count;
  }

  /** What was added since the last call, up to the limit. */
  take(): string {
    const pending = this.#pending;
    this.#pending = "";
    return pending;
  }

  /** The end of what was added; undefined when nothing was added since the last call. */
  takeTail(): string | undefined {
    if (!this.#hasNew) return undefined;
    this.#hasNew = false;
    return this.#tail;
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
      at >= 0 && end <= whole.length && whole.startsWith(this.#head, at) && whole.slice(0, end).endsWith(this.#mark)
    );
  }
}
