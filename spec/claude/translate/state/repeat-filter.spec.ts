/**
 * `RepeatFilter`: text that a broken stream has shown is not shown again.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { RepeatFilter } from "../../../../lib/claude/translate/state/repeat-filter.ts";

describe("RepeatFilter", () => {
  it("RepeatFilter shows old and new text together exactly once, however either is split", () => {
    const words = fc.string({ unit: fc.constantFrom("a", "b", " "), maxLength: 12 });
    fc.assert(
      fc.property(words, fc.array(words), (before, pieces) => {
        const filter = new RepeatFilter(before);
        const fresh = pieces.map((piece) => filter.novel(piece)).join("");
        const after = pieces.join("");
        if (after.startsWith(before)) assert.equal(before + fresh, after);
        else if (before.startsWith(after)) assert.equal(fresh, "");
        else assert.equal(fresh, after);
      }),
    );
  });
});
