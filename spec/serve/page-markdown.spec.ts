/**
 * Markdown on the page takes time in proportion to the text, nests no deeper than its cap, and loses nothing.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { assertLinear } from "../support/growth.ts";
import { hostileMarkdown, lettersOf, markdownPieces, nestedList, nestedQuote } from "../support/hostile-markdown.ts";
import { SmallNode, smallDocument } from "../support/serve/small-document.ts";

// The page's modules are plain JavaScript and find the browser's names when they run.
Object.assign(globalThis, { document: smallDocument, HTMLElement: SmallNode });
const at = new URL("../../lib/serve/page/markdown.js", import.meta.url).href;
const { showMarkdown }: { readonly showMarkdown: (parent: SmallNode, text: string) => void } = await import(at);

/** Each of at most 32 levels is an element and its item, around a block and its spans. */
const deepestTree = 2 * 33 + 12;

function shown(text: string): SmallNode {
  const parent = new SmallNode("div");
  showMarkdown(parent, text);
  return parent;
}

/** The buttons of code blocks say Copy. */
function wordsOf(node: SmallNode): string {
  return lettersOf(node.textContent.replaceAll("Copy", ""));
}

describe("Markdown on the page", () => {
  for (const [name, shape] of Object.entries(hostileMarkdown)) {
    it(`takes time in proportion to the text on the page: ${name}`, () => {
      assertLinear(name, 10_000, (size) => void shown(shape(size)));
      const text = shape(100_000);
      assert.ok(shown(text).depth <= deepestTree, "it nests deeper than the cap");
    });
  }

  it("shows 200, 800 and 3,000 levels of lists and quotes whole", () => {
    for (const levels of [200, 800, 3000]) {
      for (const text of [nestedList(levels), nestedQuote(levels), `${">".repeat(levels)} end`]) {
        const node = shown(text);
        assert.equal(wordsOf(node), lettersOf(text));
        assert.ok(node.depth <= deepestTree);
      }
    }
  });

  it("loses no letter of any text, wherever a stream cuts it, and throws for none", () => {
    const text = fc.array(fc.constantFrom(...markdownPieces), { maxLength: 60 }).map((all) => all.join(""));
    fc.assert(
      fc.property(text, fc.nat({ max: 200 }), (given, cut) => {
        const parent = new SmallNode("div");
        showMarkdown(parent, given.slice(0, cut));
        showMarkdown(parent, given);
        assert.equal(parent.textContent, shown(given).textContent);
        // What follows a fence is a language, a target is no word, and a checked box is a sign.
        if (!/```|~~~|\]\(|\[x\]/.test(given))
          assert.equal(withoutNumbers(wordsOf(parent)), withoutNumbers(lettersOf(given)));
      }),
      { numRuns: 2000 },
    );
  });
});

/** The number of a list item is not text of the document. */
function withoutNumbers(text: string): string {
  return text.replaceAll(/\d/g, "");
}
