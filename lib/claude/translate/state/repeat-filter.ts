/**
 * Spoken: text that was shown and then taken back, when it is said again.
 *
 * A stream that breaks is begun anew, and what a person has already read must
 * not appear twice. Swallows the new text for as long as it repeats the old, and
 * gives up everything swallowed when it turns out to differ.
 */

export class RepeatFilter {
  #left: string;
  #held = "";

  constructor(text: string) {
    this.#left = text;
  }

  /** The part of `text` that has not been said yet. */
  novel(text: string): string {
    if (this.#left === "") return text;
    if (this.#left.startsWith(text)) {
      this.#left = this.#left.slice(text.length);
      this.#held += text;
      return "";
    }
    const repeated = this.#left;
    this.#left = "";
    return text.startsWith(repeated) ? text.slice(repeated.length) : this.#held + text;
  }
}
