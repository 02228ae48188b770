/**
 * Rendering Markdown takes time proportional to the text, nests no deeper than its cap, and loses no text.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { assertLinear } from "../../../support/growth.ts";
import {
  hostileMarkdown,
  lettersOf,
  markdownPieces,
  nestedList,
  nestedQuote,
} from "../../../support/hostile-markdown.ts";
import { SmallNode, smallDocument } from "../../../support/serve/small-document.ts";

// The page's modules are plain JavaScript and look up the browser's globals when they run.
Object.assign(globalThis, { document: smallDocument, HTMLElement: SmallNode });
const { showMarkdown }: { readonly showMarkdown: (parent: SmallNode, text: string) => void } =
  // @ts-expect-error The page's modules are plain JavaScript, with a project of their own.
  await import("../../../../lib/serve/page/text/markdown.js");

/** At most 32 levels of two elements each (list and item), around a block and its spans. */
const deepestTree = 2 * 33 + 12;

function shown(text: string): SmallNode {
  const parent = new SmallNode("div");
  showMarkdown(parent, text);
  return parent;
}

/** Removes the label Copy of the buttons on code blocks. */
function wordsOf(node: SmallNode): string {
  return lettersOf(node.textContent.replaceAll("Copy", ""));
}

describe("Markdown on the page", () => {
  for (const [name, shape] of Object.entries(hostileMarkdown)) {
    it(`rendering Markdown takes time proportional to the text: ${name}`, () => {
      assertLinear(name, 10_000, (size) => void shown(shape(size)));
      const text = shape(100_000);
      assert.ok(shown(text).depth <= deepestTree, "it nests deeper than the cap");
    });
  }

  it("Markdown with 200 and 1,000 levels of lists and quotes, and 3,000 quote marks, is shown whole", () => {
    for (const levels of [200, 1000]) {
      for (const text of [nestedList(levels), nestedQuote(levels), `${">".repeat(3 * levels)} end`]) {
        const node = shown(text);
        assert.equal(wordsOf(node), lettersOf(text));
        assert.ok(node.depth <= deepestTree);
      }
    }
  });

  it("rendering Markdown loses no letter and never throws, wherever a stream splits the text", () => {
    const text = fc.array(fc.constantFrom(...markdownPieces), { maxLength: 60 }).map((all) => all.join(""));
    fc.assert(
      fc.property(text, fc.nat({ max: 200 }), (given, cut) => {
        const parent = new SmallNode("div");
        showMarkdown(parent, given.slice(0, cut));
        showMarkdown(parent, given);
        assert.equal(parent.textContent, shown(given).textContent);
        // The language after a fence, link targets and check boxes are not shown as text.
        if (!/```|~~~|\]\(|\[x\]/.test(given))
          assert.equal(withoutNumbers(wordsOf(parent)), withoutNumbers(lettersOf(given)));
      }),
      { numRuns: 500 },
    );
  });
});

/** Removes list numbers, which are not text of the document. */
function withoutNumbers(text: string): string {
  return text.replaceAll(/\d/g, "");
}
