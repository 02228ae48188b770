/**
 * Look: the text that is there, or none.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { textIn, textOf } from "../../lib/schema/index.ts";

describe("textOf", () => {
  it("is a string as it is, and nothing else", () => {
    assert.equal(textOf(""), "");
    for (const value of [1, null, undefined, ["a"], {}]) assert.equal(textOf(value), undefined);
  });
});

describe("textIn", () => {
  it("finds the first field that says something", () => {
    assert.equal(textIn({ a: "", b: 1, c: "x", d: "y" }, "a", "b", "c", "d"), "x");
    assert.equal(textIn({ a: "" }, "a", "b"), undefined);
    assert.equal(textIn({}), undefined);
  });
});
