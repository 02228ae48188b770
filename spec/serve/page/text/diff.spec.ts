/**
 * Specs of the line diff of the page, which need no browser.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";

interface Row {
  readonly mark: " " | "-" | "+";
  readonly text: string;
  readonly old: number;
  readonly new: number;
}

const { diffRows }: { readonly diffRows: (oldText: string, newText: string) => readonly Row[] } =
  // @ts-expect-error The page's modules are plain JavaScript, with a project of their own.
  await import("../../../../lib/serve/page/text/diff.js");

const lines = fc.array(fc.constantFrom("a", "b", "c", "", "  d"), { maxLength: 30 }).map((all) => all.join("\n"));
const withoutEnd = (text: string): string => text.replace(/\n$/, "");

describe("diffRows", () => {
  it("the rows of a diff contain both texts in order, with their line numbers", () => {
    fc.assert(
      fc.property(lines, lines, (oldText, newText) => {
        const rows = diffRows(oldText, newText);
        const side = (mark: string, number: "old" | "new"): string => {
          const own = rows.filter((row) => row.mark === " " || row.mark === mark);
          own.forEach((row, i) => assert.equal(row[number], i + 1));
          return own.map(({ text }) => text).join("\n");
        };
        assert.equal(side("-", "old"), withoutEnd(oldText));
        assert.equal(side("+", "new"), withoutEnd(newText));
      }),
    );
  });

  it("a diff removes and adds as few lines as possible", () => {
    const rows = diffRows("a\nb\nc\nd\n", "a\nx\nc\nd\ne\n");
    assert.equal(rows.map(({ mark, text }) => mark + text).join("|"), " a|-b|+x| c| d|+e");
    assert.deepEqual(
      diffRows("", "a\n").map(({ mark }) => mark),
      ["+"],
    );
    assert.deepEqual(
      diffRows("a\n", "").map(({ mark }) => mark),
      ["-"],
    );
    assert.deepEqual(diffRows("", ""), []);
  });

  it("a diff of texts too long to compare still contains both texts", () => {
    const oldText = Array.from({ length: 5000 }, (_, i) => `old ${i}`).join("\n");
    const newText = Array.from({ length: 5000 }, (_, i) => `new ${i}`).join("\n");
    assert.equal(diffRows(oldText, newText).length, 10_000);
  });
});
