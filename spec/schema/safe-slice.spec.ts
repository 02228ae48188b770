/**
 * Specs of cutting text without splitting a character.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { shownWord, sliceWhole } from "../../lib/schema/index.ts";

describe("sliceWhole", () => {
  it("sliceWhole returns the first characters and never half of a surrogate pair", () => {
    assert.equal(sliceWhole("a😀b", 2), "a");
    assert.equal(sliceWhole("a😀b", 3), "a😀");
    assert.equal(sliceWhole("a😀b", 9), "a😀b");
  });
});

describe("shownWord", () => {
  it("shownWord replaces each half of a surrogate pair, whether cut or received so", () => {
    assert.equal(shownWord("a😀b", 2), "a\ufffd");
    assert.equal(shownWord("a\ude00b", 9), "a\ufffdb");
    assert.equal(shownWord("a😀b", 9), "a😀b");
  });
});
