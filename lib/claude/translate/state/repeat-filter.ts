/**
 * Removes text that the user has already seen from a stream that starts again.
 *
 * When a stream breaks, the model starts over and mostly repeats itself. The filter holds
 * new text back while it repeats the old text, and releases everything it held back when
 * the new text turns out to differ.
 */

export class RepeatFilter {
  #left: string;
  #held = "";

  constructor(text: string) {
    this.#left = text;
  }

  /** The part of `text` that has not been shown yet. */
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
