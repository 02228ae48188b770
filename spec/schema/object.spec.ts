/**
 * Specs of object schemas: required, optional and lenient keys in any order, unknown
 * keys kept.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import {
  Fault,
  integer,
  lenient,
  nullable,
  nullTo,
  object,
  optional,
  record,
  type Schema,
  string,
  unknown,
} from "../../lib/schema/index.ts";
import { freezeDeeply } from "../support/hostile-values.ts";

const call = object({
  id: string,
  title: string,
  line: lenient(integer()),
  note: optional(string),
});

function faultOf(got: unknown): string {
  assert.ok(got instanceof Fault);
  return got.describe();
}

describe("object", () => {
  it("object returns the same object when all fields are right", () => {
    for (const given of [
      { id: "1", title: "t" },
      { id: "1", title: "t", line: 1, note: "n" },
      { id: "", title: "" },
    ])
      assert.equal(call.read(freezeDeeply(given)), given);
  });

  it("object keeps unknown keys, in the same object and in a copy", () => {
    const given = freezeDeeply({ future: { deep: [1] }, id: "1", title: "t", _meta: null });
    assert.equal(call.read(given), given);
    const repaired = freezeDeeply({ future: { deep: [1] }, id: "1", line: "x", title: "t", _meta: null });
    const got = call.read(repaired);
    assert.deepEqual(got, { future: { deep: [1] }, id: "1", title: "t", _meta: null });
    assert.deepEqual(Object.keys(got), ["future", "id", "title", "_meta"]);
  });

  it("object drops a lenient key with a wrong value and leaves the original unchanged", () => {
    const given = freezeDeeply({ id: "1", title: "t", line: "not a number" });
    assert.deepEqual(call.read(given), { id: "1", title: "t" });
    assert.equal(given.line, "not a number");
  });

  it("object drops every lenient key whose value is wrong and keeps the others", () => {
    const schema = object({ a: lenient(string), b: lenient(string), c: lenient(string), d: nullTo(string, () => "d") });
    assert.deepEqual(schema.read(freezeDeeply({ a: 1, b: "b", c: 2, d: null })), { b: "b", d: "d" });
  });

  it("object refuses an optional key whose value is wrong", () => {
    assert.equal(faultOf(call.read({ id: "1", title: "t", note: 1 })), "note must be string");
    assert.equal(faultOf(call.read({ id: "1", title: "t", note: null })), "note must be string");
  });

  it("object names the first missing key in the order of the shape", () => {
    assert.equal(faultOf(call.read({})), "id must be given");
    assert.equal(faultOf(call.read({ title: "t" })), "id must be given");
    assert.equal(faultOf(call.read({ line: 1, id: "1" })), "title must be given");
    assert.equal(faultOf(object({ a: optional(string), b: lenient(string), c: string }).read({})), "c must be given");
  });

  it("object treats undefined as left out", () => {
    const given = freezeDeeply({ id: "1", title: "t", line: undefined, note: undefined });
    assert.equal(call.read(given), given);
    assert.equal(faultOf(call.read({ id: undefined, title: "t" })), "id must be given");
  });

  it("object names the key that is undefined, not one that comes after it", () => {
    assert.equal(faultOf(call.read({ title: undefined, id: "1" })), "title must be given");
  });

  it("object refuses what is not an object", () => {
    for (const value of [null, [], "x", 1, undefined])
      assert.equal(faultOf(call.read(value)), "value must be an object");
  });

  it("object repairs through several levels and copies only the path to the repair", () => {
    const outer = object({ left: object({ inner: call }), right: call });
    const given = freezeDeeply({ left: { inner: { id: "1", title: "t", line: {} } }, right: { id: "2", title: "u" } });
    const got = outer.read(given);
    assert.deepEqual(got, { left: { inner: { id: "1", title: "t" } }, right: { id: "2", title: "u" } });
    assert.ok(!(got instanceof Fault));
    assert.equal(got.right, given.right);
  });

  it("object drops a lenient object that is wrong somewhere inside", () => {
    const outer = object({ id: string, call: lenient(call) });
    assert.deepEqual(outer.read(freezeDeeply({ id: "1", call: { id: "2" } })), { id: "1" });
    assert.deepEqual(outer.read(freezeDeeply({ id: "1", call: { id: "2", title: "t", line: 0.5 } })), {
      id: "1",
      call: { id: "2", title: "t" },
    });
  });

  it("object reads each field once, even when it is wrong", () => {
    let reads = 0;
    const counted = { node: unknown.node, read: () => new Fault(`read ${++reads}`) };
    let schema: Schema<unknown> = object({ part: lenient(counted) });
    for (let level = 0; level < 10; level++) schema = object({ part: lenient(schema) });
    let value: unknown = { part: 1 };
    for (let level = 0; level < 10; level++) value = { part: value };
    schema.read(value);
    assert.equal(reads, 1);
  });

  it("object keeps an own __proto__ key and leaves the prototype unchanged", () => {
    const given: unknown = freezeDeeply(JSON.parse('{"id":"1","title":"t","line":"x","__proto__":{"isAdmin":true}}'));
    const got = call.read(given);
    assert.ok(!(got instanceof Fault));
    assert.equal(Object.getPrototypeOf(got), Object.prototype);
    assert.ok(Object.hasOwn(got, "__proto__"));
    assert.equal(JSON.stringify(got), '{"id":"1","title":"t","__proto__":{"isAdmin":true}}');
    assert.ok(!("isAdmin" in {}));
  });

  it("object does not accept inherited property names as given keys", () => {
    const odd = object({ constructor: string, toString: optional(string) });
    assert.equal(faultOf(odd.read({})), "constructor must be given");
    const given: unknown = JSON.parse('{"constructor":"c"}');
    assert.equal(odd.read(given), given);
  });

  it("object accepts an object without a prototype", () => {
    const given: unknown = Object.assign(Object.create(null), { id: "1", title: "t" });
    assert.equal(call.read(given), given);
  });

  it("object reads 32 required keys and refuses a definition with more", () => {
    const shape = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`key${i}`, string]));
    const full = Object.fromEntries(Array.from({ length: 32 }, (_, i) => [`key${i}`, "x"]));
    assert.equal(object(shape(32)).read(full), full);
    const { key31: _, ...rest } = full;
    assert.equal(faultOf(object(shape(32)).read(rest)), "key31 must be given");
    assert.throws(() => object(shape(33)), RangeError);
  });
});

describe("object with keys in any order", () => {
  const shape = { a: string, b: integer(), c: optional(nullable(string)), d: lenient(integer()), e: record(unknown) };
  const right = { a: "x", b: 1, c: null, d: 2, e: {} };
  type Key = keyof typeof right;

  const part = (key: Key | "f" | "g", isWrong: boolean): [string, unknown] =>
    key === "f" || key === "g" ? [key, { unknown: true }] : [key, isWrong ? Symbol.iterator : right[key]];

  /** Some of the known and unknown keys in some order, possibly one with a wrong value. */
  const given = fc
    .tuple(
      fc.shuffledSubarray(["a", "b", "c", "d", "e", "f", "g"] as const),
      fc.option(fc.constantFrom("a", "b", "c", "d", "e")),
    )
    .map(([keys, wrong]) => ({ keys, wrong, value: Object.fromEntries(keys.map((key) => part(key, key === wrong))) }));

  it("the order of keys makes no difference, whatever was read before", () => {
    const warm = object(shape);
    fc.assert(
      fc.property(fc.array(given, { minLength: 1, maxLength: 8 }), (values) => {
        for (const { value, keys, wrong } of values) {
          const got = warm.read(freezeDeeply(value));
          // A fresh schema has no remembered key order that could mislead it.
          const fresh = object(shape).read(value);
          assert.deepEqual(got, fresh);
          const isWhole = (["a", "b", "e"] as const).every((key) => keys.includes(key));
          if (isWhole && !keys.some((key) => key === wrong)) assert.equal(got, value);
          else if (!isWhole) assert.ok(got instanceof Fault);
        }
      }),
      { numRuns: 500 },
    );
  });

  it("the order of keys makes no difference to a schema that alternates between two shapes", () => {
    const schema = object(shape);
    for (let round = 0; round < 10; round++) {
      const forth = { a: "x", b: 1, c: null, d: 2, e: {} };
      const back = { e: {}, z: 0, d: 2, y: 0, b: 1, a: "x" };
      assert.equal(schema.read(forth), forth);
      assert.equal(schema.read(back), back);
      assert.equal(faultOf(schema.read({ e: {}, z: 0, d: 2, y: 0, b: 1 })), "a must be given");
      assert.equal(faultOf(schema.read({ a: "x", b: "1", c: null, d: 2, e: {} })), "b must be an integer");
    }
  });
});

describe("fieldsReader", () => {
  it("fieldsReader skips the known key and reads the others", () => {
    const read = call.fieldsReader("id");
    const given = { id: 1, title: "t" };
    assert.equal(read(given), given);
    assert.equal(faultOf(read({ id: 1, title: 2 })), "title must be string");
    assert.equal(faultOf(call.read(given)), "id must be string");
  });

  it("fieldsReader gives the same result whether or not the schema has read before", () => {
    const schema = object({ type: string, text: string });
    schema.read({ type: "a", text: "b" });
    const read = schema.fieldsReader("type");
    const given = { type: "a", text: "b" };
    assert.equal(read(given), given);
    assert.equal(faultOf(read({ type: "a", text: 1 })), "text must be string");
    assert.equal(faultOf(schema.read({ type: 1, text: "b" })), "type must be string");
  });
});
