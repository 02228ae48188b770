/**
 * Specs of scalar schemas: accepted values, texts of faults, bounds of numbers.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  boolean,
  Fault,
  int64,
  integer,
  literal,
  nonEmptyString,
  number,
  oneOf,
  open,
  refine,
  type Schema,
  string,
  uint16,
  uint32,
  uint64,
  unknown,
} from "../../lib/schema/index.ts";

function accepts(schema: Schema<unknown>, ...values: readonly unknown[]): void {
  for (const value of values) assert.ok(Object.is(schema.read(value), value), `refuses ${String(value)}`);
}

function refuses(schema: Schema<unknown>, expected: string, ...values: readonly unknown[]): void {
  for (const value of values) {
    const got = schema.read(value);
    assert.ok(got instanceof Fault, `accepts ${String(value)}`);
    assert.equal(got.expected, expected);
    assert.deepEqual(got.path, []);
  }
}

describe("string", () => {
  it("string accepts any string and nothing else", () => {
    accepts(string, "", "x", "\0", "\ud83d");
    refuses(string, "string", undefined, null, 0, true, [], {}, ["x"], Symbol("x"));
  });

  it("string refuses a String object", () => {
    refuses(string, "string", Object("x"));
  });
});

describe("nonEmptyString", () => {
  it("nonEmptyString refuses only the empty string among strings", () => {
    accepts(nonEmptyString, " ", "x", "\0");
    refuses(nonEmptyString, "a string that is not empty", "", null, 1, ["x"]);
  });
});

describe("boolean", () => {
  it("boolean accepts true and false and nothing that resembles them", () => {
    accepts(boolean, true, false);
    refuses(boolean, "boolean", 0, 1, "true", null, undefined);
  });
});

describe("number", () => {
  it("number accepts any number, NaN and infinities included", () => {
    accepts(number, 0, -0, 1.5, -1e308, JSON.parse("1e999"), 2 ** 64);
    refuses(number, "number", "1", null, 1n, true);
  });
});

describe("unknown", () => {
  it("unknown returns any value unchanged", () => {
    accepts(unknown, undefined, null, "x", {}, []);
  });
});

describe("integer", () => {
  it("integer accepts its bounds and refuses the next number beyond each", () => {
    const schema = integer(-3, 7);
    accepts(schema, -3, 0, -0, 7);
    refuses(schema, "an integer from -3 to 7", -4, 8, 0.5, NaN, Infinity, -Infinity, "0", null, 0n);
  });

  it("integer accepts whole numbers past 2^53", () => {
    accepts(integer(), 2 ** 53, -(2 ** 80), 1e300);
    refuses(integer(), "an integer", 0.1, Infinity, NaN);
  });

  it("integer names only the bounds it has", () => {
    refuses(integer(5), "an integer, 5 or more", 4);
    refuses(integer(undefined, 5), "an integer, 5 or less", 6);
    refuses(integer(-(2 ** 63), 5), "an integer, 5 or less", 6);
  });

  it("uint16, uint32, uint64 and int64 have the widths of their names", () => {
    accepts(uint16, 0, 65_535);
    refuses(uint16, "an integer from 0 to 65535", -1, 65_536);
    accepts(uint32, 0, 4_294_967_295);
    refuses(uint32, "an integer from 0 to 4294967295", -1, 4_294_967_296);
    accepts(uint64, 0, JSON.parse("18446744073709551615"));
    refuses(uint64, "an integer, 0 or more", -1, 2 ** 65);
    accepts(int64, JSON.parse("-9223372036854775808"), JSON.parse("9223372036854775807"));
    refuses(int64, "an integer", 2 ** 64, -(2 ** 64), 0.5);
  });
});

describe("literal", () => {
  it("literal accepts exactly its string", () => {
    accepts(literal("text"), "text");
    refuses(literal("text"), '"text"', "Text", "text ", "", null, ["text"], Object("text"));
  });
});

describe("oneOf", () => {
  it("oneOf accepts its strings and refuses the property names that every object has", () => {
    const schema = oneOf("read", "edit");
    accepts(schema, "read", "edit");
    refuses(schema, "one of read, edit", "Read", "", "constructor", "__proto__", null, 0, ["read"]);
  });
});

describe("open", () => {
  it("open accepts unknown strings, and nothing but strings", () => {
    accepts(open("read"), "read", "dream", "");
    refuses(open("read"), "string", null, 1, ["read"]);
  });
});

describe("refine", () => {
  const even = refine(integer(), "an even integer", (value) => value % 2 === 0);

  it("refine adds a condition with its own wording", () => {
    accepts(even, 0, 2, -4);
    refuses(even, "an even integer", 3);
  });

  it("refine does not call its condition for a value of the wrong type", () => {
    const careful = refine(string, "short", (value) => value.trim().length < 3);
    refuses(careful, "string", null, 5, {});
  });
});
