/**
 * Functions of the page that need no browser: the lines of a diff and the blocks of
 * Markdown.
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

// The page's modules are plain JavaScript.
const { diffRows }: { readonly diffRows: (oldText: string, newText: string) => readonly Row[] } =
  // @ts-expect-error The page's modules are plain JavaScript, with a project of their own.
  await import("../../lib/serve/page/text/diff.js");
const { blocksOf }: { readonly blocksOf: (text: string) => readonly { kind: string; text: string; lang?: string }[] } =
  // @ts-expect-error The page's modules are plain JavaScript, with a project of their own.
  await import("../../lib/serve/page/text/markdown.js");

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

describe("blocksOf", () => {
  const kinds = (text: string): string =>
    blocksOf(text)
      .map(({ kind }) => kind)
      .join(" ");

  it("blocksOf distinguishes paragraphs, headings, lists, quotes, rules, tables and code", () => {
    const text =
      "# Title\nwords\nmore\n\n- one\n- two\n\n  still two\n\n> said\n\n---\n| a |\n|---|\n\n```js\nx\n```\nend";
    assert.equal(kinds(text), "heading paragraph list quote rule table code paragraph");
  });

  it("blocksOf does not parse code, also while its fence is still open", () => {
    assert.deepEqual(blocksOf("```py\n# no title\n\n- no list"), [
      { kind: "code", text: "# no title\n\n- no list", lang: "py" },
    ]);
    assert.deepEqual(
      blocksOf("````\n```\n````\nx").map(({ text }) => text),
      ["```", "x"],
    );
  });

  it("blocksOf loses no word, wherever the text is cut", () => {
    const word = fc.constantFrom("w", "# h", "- i", "1. n", "> q", "```", "| c |", "", "  in", "***", "---");
    fc.assert(
      fc.property(fc.array(word, { maxLength: 20 }), (all) => {
        const text = all.join("\n");
        for (let end = 0; end <= text.length; end++) {
          const shown = blocksOf(text.slice(0, end))
            .map((block) => block.text)
            .join("\n");
          for (const letter of ["w", "i", "n", "q", "c"]) {
            const count = (of: string): number => of.split(letter).length;
            // The info string after a fence is a language, not a word of the text.
            if (!text.includes("```")) assert.equal(count(shown), count(text.slice(0, end)), text);
          }
        }
      }),
      { numRuns: 200 },
    );
  });
});
