/**
 * Specs that read every hostile value with every combinator, and of schemas as plain
 * data.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import * as schema from "../../lib/schema/index.ts";
import { hostileValues } from "../support/hostile-values.ts";

const { array, boolean, errorTo, Fault, integer, items, lenient, literal, nullable, nullTo } = schema;
const { number, object, oneOf, open, optional, record, refine, string, tagged, unknown, byKey, either } = schema;

const text = object({ type: literal("text"), text: string, annotations: lenient(record(string)) });

const schemas: ReadonlyMap<string, schema.Schema<unknown>> = new Map<string, schema.Schema<unknown>>([
  ["unknown", unknown],
  ["string", string],
  ["nonEmptyString", schema.nonEmptyString],
  ["boolean", boolean],
  ["number", number],
  ["integer", integer(-5, 5)],
  ["uint64", schema.uint64],
  ["literal", literal("x")],
  ["oneOf", oneOf("a", "b")],
  ["open", open("a")],
  ["refine", refine(string, "short", (value) => value.length < 3)],
  ["array", array(string)],
  ["array of unknown", array(unknown)],
  ["items", items(string)],
  ["record", record(string)],
  ["record of arrays", record(array(integer()))],
  ["nullable", nullable(string)],
  ["nullTo", nullTo(string, () => "")],
  ["errorTo", errorTo(string, () => "")],
  ["object", text],
  ["object of optional keys", object({ inner: optional(string), length: optional(string), key0: lenient(string) })],
  ["object of inherited names", object({ constructor: lenient(string), ["__proto__"]: optional(string) })],
  ["tagged", tagged("type", { text })],
  ["tagged by an inherited name", tagged("constructor", { text })],
  ["tagged with otherwise", tagged("type", { text }, object({ inner: unknown }))],
  ["byKey", byKey({ inner: object({ inner: string }), text })],
  ["either", either("something", string, array(string), text)],
]);

/** Places a value at each position in which schemas read it. */
const places: ReadonlyMap<string, (value: unknown) => unknown> = new Map<string, (value: unknown) => unknown>([
  ["alone", (value) => value],
  ["in an array", (value) => Object.freeze(["a", value])],
  [
    "under a key",
    (value) => Object.freeze({ type: "text", text: value, annotations: value, inner: value, key0: value }),
  ],
  ["as the tag", (value) => Object.freeze({ type: value, constructor: value, text: "t" })],
]);

describe("every schema", () => {
  for (const [name, { read }] of schemas) {
    it(`the schema reads every hostile value without throwing or changing it: ${name}`, () => {
      for (const [place, put] of places) {
        for (const [what, value] of hostileValues) {
          const given = put(value);
          const message = `${what} ${place}`;
          const got = read(given);
          // A value that was read is right, so reading it again gives the same.
          if (!(got instanceof Fault)) assert.ok(isSame(read(got), got), message);
          else assert.ok(got.describe().length < 3000, message);
        }
      }
      assert.ok(!("isAdmin" in {}));
    });
  }

  it("every schema gives the same result each time", () => {
    for (const [name, { read }] of schemas) {
      for (const [what, value] of hostileValues) {
        const first = read(value);
        const second = read(value);
        assert.equal(first instanceof Fault, second instanceof Fault, `${name} of ${what}`);
        if (first instanceof Fault && second instanceof Fault) assert.deepEqual(first, second);
      }
    }
  });
});

describe("node", () => {
  it("node is plain data for every schema", () => {
    for (const [name, { node }] of schemas) {
      const copy: unknown = structuredClone(node);
      assert.deepEqual(copy, node, name);
    }
  });

  it("node says which keys are required and which are lenient", () => {
    assert.deepEqual(object({ a: string, b: optional(boolean), c: lenient(number) }).node, {
      kind: "object",
      fields: {
        a: { node: { kind: "string", minLength: 0 }, required: true, lenient: false },
        b: { node: { kind: "boolean" }, required: false, lenient: false },
        c: { node: { kind: "number" }, required: false, lenient: true },
      },
    });
  });

  it("node names the tag, the variants and the catch-all variant", () => {
    assert.deepEqual(tagged("type", { text }, unknown).node, {
      kind: "tagged",
      tag: "type",
      variants: { text: text.node },
      otherwise: { kind: "unknown" },
    });
    const { node } = tagged("type", { text });
    assert.ok(node.kind === "tagged" && node.otherwise === undefined);
  });

  it("node distinguishes the kinds of leniency", () => {
    assert.equal(nullTo(string, () => "").node.kind, "nullTo");
    assert.equal(errorTo(string, () => "").node.kind, "errorTo");
    assert.deepEqual(items(string).node, { kind: "array", items: string.node, skipInvalid: true });
    assert.deepEqual(array(string).node, { kind: "array", items: string.node, skipInvalid: false });
    assert.deepEqual(open("a").node, { kind: "enum", values: ["a"], open: true });
    assert.deepEqual(oneOf("a").node, { kind: "enum", values: ["a"], open: false });
  });
});

/** Whether two values are the same. NaN never equals itself, so it always causes a copy. */
function isSame(left: unknown, right: unknown): boolean {
  if (Object.is(left, right)) return true;
  return Array.isArray(left) && Array.isArray(right) && left.every((item, i) => Object.is(item, right[i]));
}
