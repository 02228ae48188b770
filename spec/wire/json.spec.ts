/**
 * JSON: what is none is undefined.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { parseJson } from "../../lib/wire/index.ts";

describe("parseJson", () => {
  it("reads any value, and gives undefined for what is none", () => {
    assert.deepEqual(parseJson('{"a":[1,null]}'), { a: [1, null] });
    assert.equal(parseJson("null"), null);
    for (const text of ["", "{", "undefined", "1 2"]) assert.equal(parseJson(text), undefined);
  });
});
