/**
 * The output of one running command that the client has been shown so far.
 *
 * The CLI gives the last kilobytes of the output and its length in bytes. `take` finds what
 * is new, and says where output was printed too fast to be shown; `rest` finds what of the
 * whole output was not shown yet.
 */
import { sliceWhole } from "../../../schema/index.ts";

/** The most that is shown of a command while it runs. The rest comes with its result. */
export const maxLiveChars = 256 * 1024;
/** How much of the shown output is kept to find it again in the whole output. */
const maxMarkChars = 512;

export class CommandOutput {
  #bytes = 0;
  #chars = 0;
  #hasGap = false;
  #head = "";
  #tail = "";

  /** The output that is new. `output` is the end of what was printed, `totalBytes` the length of all of it. */
  take(output: string, totalBytes: number): string {
    const bytes = Buffer.from(output);
    const fresh = totalBytes - this.#bytes;
    if (fresh <= 0 || this.#chars >= maxLiveChars) return "";
    this.#bytes = totalBytes;
    let from = Math.max(0, bytes.length - fresh);
    // Do not begin within a UTF-8 character.
    while (from < bytes.length && ((bytes[from] ?? 0) & 0xc0) === 0x80) from++;
    const missed = fresh - bytes.length;
    if (missed > 0) this.#hasGap = true;
    const text = bytes.toString("utf8", from);
    const shown = sliceWhole(missed > 0 ? `\n[${missed} bytes not shown]\n${text}` : text, maxLiveChars - this.#chars);
    this.#chars += shown.length;
    if (this.#head.length < maxMarkChars) this.#head += sliceWhole(shown, maxMarkChars - this.#head.length);
    this.#tail = (this.#tail + shown).slice(-maxMarkChars);
    return shown;
  }

  /** What of the whole output was not shown. The CLI cuts white space at its end. */
  rest(whole: string): string {
    if (this.#chars === 0) return whole;
    const isPrefix = !this.#hasGap && whole.startsWith(this.#head);
    if (isPrefix && whole.length >= this.#chars) return whole.slice(this.#chars);
    const mark = this.#tail.trimEnd();
    if (isPrefix && whole.endsWith(mark)) return "";
    const at = whole.lastIndexOf(mark);
    return at < 0 ? `\n${whole}` : whole.slice(at + mark.length);
  }
}
