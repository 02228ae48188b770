/**
 * Specs of the schemas of arrays and records, of default values, and of reading untyped
 * fields.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  array,
  errorTo,
  Fault,
  integer,
  isRecord,
  items,
  lenient,
  nullable,
  nullTo,
  object,
  record,
  string,
  textIn,
  textOf,
} from "../../lib/schema/index.ts";
import { freezeDeeply } from "../support/hostile-values.ts";

const tool = object({ name: string, kind: lenient(string) });

function faultOf(got: unknown): string {
  assert.ok(got instanceof Fault);
  return got.describe();
}

describe("array", () => {
  it("array gives back the same array when every item is right", () => {
    const given = freezeDeeply([{ name: "a" }, { name: "b", kind: "read" }]);
    assert.equal(array(tool).read(given), given);
    const empty: unknown[] = [];
    assert.equal(array(tool).read(empty), empty);
  });

  it("array copies only the items it repairs", () => {
    const given = freezeDeeply([{ name: "a" }, { name: "b", kind: 7 }, { name: "c" }]);
    const got = array(tool).read(given);
    assert.deepEqual(got, [{ name: "a" }, { name: "b" }, { name: "c" }]);
    assert.ok(Array.isArray(got));
    assert.equal(got[0], given[0]);
    assert.equal(got[2], given[2]);
  });

  it("array names the first wrong item, even after a repaired one", () => {
    assert.equal(
      faultOf(array(tool).read([{ name: "a", kind: 7 }, { name: "b" }, { name: 1 }])),
      "2.name must be string",
    );
    assert.equal(faultOf(array(array(string)).read([["a"], ["b", null]])), "1.1 must be string");
  });

  it("array refuses array-like objects", () => {
    for (const value of [{ length: 0 }, "ab", null, undefined, new Set(["a"])])
      assert.equal(faultOf(array(string).read(value)), "value must be an array");
  });

  it("array treats a hole as a missing item", () => {
    const holed: unknown[] = ["a"];
    holed[2] = "b";
    assert.equal(faultOf(array(string).read(holed)), "1 must be string");
  });
});

describe("items", () => {
  it("items gives back the same array when every item is right", () => {
    const given = freezeDeeply([{ name: "a" }]);
    assert.equal(items(tool).read(given), given);
  });

  it("items drops wrong items anywhere and keeps the order of the others", () => {
    const read = items(integer()).read;
    assert.deepEqual(read(freezeDeeply(["x", 1, 2])), [1, 2]);
    assert.deepEqual(read(freezeDeeply([1, "x", 2, null, 3])), [1, 2, 3]);
    assert.deepEqual(read(freezeDeeply([1, 2, "x"])), [1, 2]);
    assert.deepEqual(read(freezeDeeply(["x", null])), []);
  });

  it("items keeps repaired items repaired", () => {
    const given = freezeDeeply([{ name: "a", kind: 1 }, { kind: "b" }, { name: "c" }, { name: "d", kind: 2 }]);
    assert.deepEqual(items(tool).read(given), [{ name: "a" }, { name: "c" }, { name: "d" }]);
  });

  it("items gives a fault for a value that is not an array", () => {
    assert.equal(faultOf(items(string).read({})), "value must be an array");
  });
});

describe("record", () => {
  it("record gives back the same object when every value is right", () => {
    const given = freezeDeeply({ PATH: "x", "": "empty key", "0": "number key" });
    assert.equal(record(string).read(given), given);
  });

  it("record names the key of a wrong value", () => {
    assert.equal(faultOf(record(string).read({ PATH: "x", HOME: 1 })), "HOME must be string");
  });

  it("record repairs values in a copy that keeps the order of keys", () => {
    const given = freezeDeeply({ a: { name: "a" }, b: { name: "b", kind: 1 }, c: { name: "c" } });
    const got = record(tool).read(given);
    assert.deepEqual(got, { a: { name: "a" }, b: { name: "b" }, c: { name: "c" } });
    assert.deepEqual(Object.keys(got), ["a", "b", "c"]);
  });

  it("record treats __proto__ as a key like any other", () => {
    const given: unknown = freezeDeeply(JSON.parse('{"__proto__":{"name":"p","kind":1},"constructor":{"name":"c"}}'));
    const got = record(tool).read(given);
    assert.ok(isRecord(got));
    assert.equal(Object.getPrototypeOf(got), Object.prototype);
    assert.deepEqual(Object.keys(got), ["__proto__", "constructor"]);
    assert.equal(JSON.stringify(got), '{"__proto__":{"name":"p"},"constructor":{"name":"c"}}');
    assert.equal(faultOf(record(string).read(JSON.parse('{"__proto__":1}'))), "__proto__ must be string");
  });

  it("record does not look at inherited keys", () => {
    const given = Object.create({ inherited: 1 }) as object;
    assert.equal(record(string).read(given), given);
  });

  it("record refuses arrays, null and strings", () => {
    for (const value of [[], null, "x", 1, undefined])
      assert.equal(faultOf(record(string).read(value)), "value must be an object");
  });
});

describe("nullable", () => {
  it("nullable accepts null and what the inner schema accepts", () => {
    assert.equal(nullable(string).read(null), null);
    assert.equal(nullable(string).read("x"), "x");
    assert.equal(faultOf(nullable(string).read(undefined)), "value must be string");
  });
});

describe("nullTo", () => {
  const names = nullTo(array(string), () => []);

  it("nullTo replaces null by a fresh value each time", () => {
    assert.deepEqual(names.read(null), []);
    assert.notEqual(names.read(null), names.read(null));
  });

  it("nullTo gives back a right value and refuses a wrong one", () => {
    const given = ["a"];
    assert.equal(names.read(given), given);
    assert.equal(faultOf(names.read([1])), "0 must be string");
    assert.equal(faultOf(names.read(undefined)), "value must be an array");
  });

  it("nullTo repairs the object that contains it", () => {
    const given = freezeDeeply({ names: null, more: 1 });
    assert.deepEqual(object({ names }).read(given), { names: [], more: 1 });
  });
});

describe("errorTo", () => {
  const level = errorTo(integer(0, 3), () => 0);

  it("errorTo replaces any wrong value", () => {
    for (const value of [4, "1", null, {}, []]) assert.equal(level.read(value), 0);
    assert.equal(level.read(2), 2);
  });

  it("errorTo makes its stand-in value once, however deep the value is nested", () => {
    let asked = 0;
    const counted = errorTo(string, () => String(++asked));
    const schema = object({ a: object({ b: object({ c: object({ d: counted }) }) }) });
    assert.deepEqual(schema.read({ a: { b: { c: { d: 1 } } } }), { a: { b: { c: { d: "1" } } } });
    assert.equal(asked, 1);
  });

  it("errorTo still reports a missing key as a fault", () => {
    assert.equal(faultOf(object({ level }).read({})), "level must be given");
    assert.equal(faultOf(object({ level }).read({ level: undefined })), "level must be given");
  });
});

describe("isRecord", () => {
  it("isRecord distinguishes objects from arrays, null and other values", () => {
    for (const value of [{}, Object.create(null), new Map()]) assert.ok(isRecord(value));
    for (const value of [null, [], "x", 1, undefined, () => 1]) assert.ok(!isRecord(value));
  });
});

describe("textOf", () => {
  it("textOf returns strings and undefined for all other values", () => {
    assert.equal(textOf(""), "");
    for (const value of [1, null, undefined, ["a"], {}]) assert.equal(textOf(value), undefined);
  });
});

describe("textIn", () => {
  it("textIn returns the first field that holds a non-empty string", () => {
    assert.equal(textIn({ a: "", b: 1, c: "x", d: "y" }, "a", "b", "c", "d"), "x");
    assert.equal(textIn({ a: "" }, "a", "b"), undefined);
    assert.equal(textIn({}), undefined);
  });
});
