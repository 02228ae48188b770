/**
 * Specs of how the page divides Markdown into blocks, which need no browser.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";

const { blocksOf }: { readonly blocksOf: (text: string) => readonly { kind: string; text: string; lang?: string }[] } =
  // @ts-expect-error The page's modules are plain JavaScript, with a project of their own.
  await import("../../../../lib/serve/page/text/markdown.js");

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
