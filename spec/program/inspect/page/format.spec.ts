/**
 * The inspector's formatting of values, durations and sizes.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { json, words } from "../../../support/program/inspector-modules.ts";

const { many, short, size, textOf, time } = words;

describe("format", () => {
  it("a duration is shown with the precision that matters at its size", () => {
    const said = [0, 0.256, 1, 9.94, 10.4, 999.4, 999.5, 1500, 59_999, 60_000, 123_456].map(time);
    assert.deepEqual(said, [
      "0.00 ms",
      "0.26 ms",
      "1.0 ms",
      "9.9 ms",
      "10 ms",
      "999 ms",
      "1.00 s",
      "1.50 s",
      "60.00 s",
      "1 min 0 s",
      "2 min 3 s",
    ]);
  });

  it("a size is shown in bytes, KB or MB", () => {
    assert.deepEqual([0, 1023, 1024, 1536, 1_048_575, 1_048_576].map(size), [
      "0 B",
      "1023 B",
      "1.0 KB",
      "1.5 KB",
      "1024.0 KB",
      "1.0 MB",
    ]);
  });

  it("characters that cannot be seen are shown by their code points", () => {
    assert.equal(short("touch a; \u202e#\u00a0tset\u2028 👩‍👩‍👧"), "touch a; <U+202E>#<U+00A0>tset<U+2028> 👩‍👩‍👧");
  });

  it("a count is followed by a singular or plural noun", () => {
    assert.deepEqual(
      [0, 1, 2, 50_000].map((count) => many(count, "row")),
      ["0 rows", "1 row", "2 rows", "50,000 rows"],
    );
  });

  it("a text is put on one line, and cut", () => {
    assert.equal(short("a\n\t b  c"), "a b c");
    assert.equal(short("x".repeat(1000)).length, 240);
    assert.equal(short("abcdef", 3), "abc");
  });

  it("every kind of JSON value is shown as text", () => {
    const values = ["a", undefined, null, 5, true, ["a"], { toString: 1 }];
    assert.deepEqual(values.map(textOf), ["a", "", "null", "5", "true", '["a"]', '{"toString":1}']);
    assert.deepEqual(
      values.map((value) => short(value)),
      values.map(textOf),
    );
  });
});

describe("at", () => {
  const { at, isObject, listOf } = json;

  it("at() returns the value at the end of a path", () => {
    const value = { a: { b: [{ c: 1 }] } };
    assert.equal(at(value, "a", "b", "0", "c"), 1);
    assert.equal(at(value), value);
  });

  it("at() returns undefined for a path that does not exist, in any value", () => {
    for (const value of [undefined, null, 0, "text", true, [], {}, { a: null }, { a: "text" }])
      assert.equal(at(value, "a", "length"), undefined);
  });

  it("at() returns only own properties", () => {
    assert.equal(at({}, "constructor"), undefined);
    assert.equal(at({}, "__proto__", "toString"), undefined);
    assert.equal(at(JSON.parse('{"__proto__":{"a":1}}'), "__proto__", "a"), 1);
  });

  it("isObject and listOf tell objects and lists from everything else", () => {
    assert.deepEqual([{}, [], null, "a", undefined].map(isObject), [true, true, false, false, false]);
    assert.deepEqual([["a"], { length: 1 }, "a", null].map(listOf), [["a"], [], [], []]);
  });
});
