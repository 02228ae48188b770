/**
 * Mutants that behave like the original, and why.
 *
 * An entry is identified by its file, its fault and the mutated line (and the original
 * line, where the mutant removes it), so it lasts as long as that line does.
 */
export interface Equivalent {
  readonly file: string;
  readonly operator: string;
  readonly before?: string;
  readonly after: string;
  readonly why: string;
}

export const equivalents: readonly Equivalent[] = [
  {
    file: "lib/rpc/array-elements.ts",
    operator: "boundary",
    after: "for (let at = 0; at <= text.length;) {",
    why: "there is no character after the last, and the loop ends",
  },
  {
    file: "lib/wire/line-reader.ts",
    operator: "boundary",
    after: 'if (isValid && stop - start < maxLineBytes) emit(region.toString("utf8", start, stop));',
    why: "a line of just that length takes the slower way, which hands over the same",
  },
  {
    file: "lib/wire/line-reader.ts",
    operator: "guard",
    before: 'if (isAscii(bytes)) return bytes.toString("latin1");',
    after: "",
    why: "what is ASCII is decoded as UTF-8, to the same text in more time",
  },
  {
    file: "lib/wire/memory-pair.ts",
    operator: "boundary",
    after: "if (this.#deliveredCount * 2 >= this.#arrived.length) this.#forgetDelivered();",
    why: "when delivered lines are forgotten changes the cost and nothing else",
  },
  {
    file: "lib/wire/outbox.ts",
    operator: "boundary",
    after:
      'while (count <= lines.length && (count === 0 || chars < maxWriteChars)) chars += (lines[count++] ?? "").length + 1;',
    why: "together the lines are longer than the limit, which therefore ends the loop first",
  },
];
