/**
 * Parses the top-level string fields of a tool's JSON input while the model writes it.
 *
 * Scans each fragment once and keeps only short values, so a long file being written costs
 * time proportional to its length.
 */

/** Longer values are not kept, because they are of no use for a title. */
const maxValueChars = 4096;

export class PartialInput {
  readonly #fields = new Map<string, string>();
  #depth = 0;
  #isInString = false;
  #isEscaped = false;
  /** The raw text, without quotes, of the top-level string being read. */
  #raw: string | undefined;
  #key: string | undefined;
  #expectsValue = false;

  /** The top-level string fields that are complete so far. */
  get complete(): ReadonlyMap<string, string> {
    return this.#fields;
  }

  push(fragment: string): void {
    for (let i = 0; i < fragment.length; i++) {
      const char = fragment[i] ?? "";
      if (this.#isInString) this.#inString(char);
      else this.#outside(char);
    }
  }

  #inString(char: string): void {
    if (this.#isEscaped) {
      this.#isEscaped = false;
    } else if (char === "\\") {
      this.#isEscaped = true;
    } else if (char === '"') {
      this.#isInString = false;
      if (this.#depth === 1) this.#endOfString();
      return;
    }
    if (this.#raw !== undefined && this.#raw.length < maxValueChars) this.#raw += char;
  }

  #outside(char: string): void {
    switch (char) {
      case '"':
        this.#isInString = true;
        this.#raw = this.#depth === 1 ? "" : undefined;
        return;
      case "{":
      case "[":
        this.#depth++;
        return;
      case "}":
      case "]":
        this.#depth--;
        return;
      case ":":
        if (this.#depth === 1) this.#expectsValue = true;
        return;
      case ",":
        if (this.#depth === 1) this.#expectsValue = false;
    }
  }

  #endOfString(): void {
    const text = this.#raw ?? "";
    this.#raw = undefined;
    if (!this.#expectsValue) {
      this.#key = text;
      return;
    }
    this.#expectsValue = false;
    if (this.#key !== undefined && text.length < maxValueChars) this.#fields.set(this.#key, unescape(text));
  }
}

function unescape(raw: string): string {
  try {
    // `raw` was between quotes in JSON, so it parses to a string when quoted again.
    return String(JSON.parse(`"${raw}"`));
  } catch {
    return raw;
  }
}
