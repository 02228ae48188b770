/**
 * The places where two messages differ, in the inspector.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { places } from "../../../../support/program/inspector-modules.ts";

const { changedPlaces, maxPlaces } = places;

describe("changedPlaces", () => {
  it("every differing value is listed with its path", () => {
    assert.deepEqual(changedPlaces({ a: 1, b: { c: [1, 2], d: "x" } }, { a: 1, b: { c: [1, 3, 4], e: null } }), [
      { path: "b.c.1", was: 2, now: 3 },
      { path: "b.c.2", was: undefined, now: 4 },
      { path: "b.d", was: "x", now: undefined },
      { path: "b.e", was: undefined, now: null },
    ]);
  });

  it("values of different types are one difference, and equal values none", () => {
    assert.deepEqual(changedPlaces("a", "b"), [{ path: "", was: "a", now: "b" }]);
    assert.deepEqual(changedPlaces({ a: [] }, { a: {} }), [{ path: "a", was: [], now: {} }]);
    assert.deepEqual(changedPlaces({ a: [{ b: 1 }] }, { a: [{ b: 1 }] }), []);
  });

  it("the list ends at its limit", () => {
    const numbers = (from: number): readonly number[] => Array.from({ length: 1000 }, (_, i) => from + i);
    assert.equal(changedPlaces(numbers(0), numbers(5000)).length, maxPlaces);
  });
});
