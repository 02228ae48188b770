/**
 * Text: cut, and never within a character.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { shownWord, sliceWhole } from "../../lib/schema/index.ts";

describe("sliceWhole", () => {
  it("takes the first characters, and none by half", () => {
    assert.equal(sliceWhole("a😀b", 2), "a");
    assert.equal(sliceWhole("a😀b", 3), "a😀");
    assert.equal(sliceWhole("a😀b", 9), "a😀b");
  });
});

describe("shownWord", () => {
  it("has a mark for each half of a pair, cut or sent so", () => {
    assert.equal(shownWord("a😀b", 2), "a\ufffd");
    assert.equal(shownWord("a\ude00b", 9), "a\ufffdb");
    assert.equal(shownWord("a😀b", 9), "a😀b");
  });
});
