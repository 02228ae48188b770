/**
 * Tables of values that a schema is given and what it reads.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Fault, type Schema } from "../../lib/schema/index.ts";

/** A value and what it is read as; a string is the beginning of the expected fault. */
export type Reading = readonly [what: string, schema: Schema<unknown>, given: object, read: unknown];

/** Readings by the rule they show. */
export type ReadingRows = Readonly<Record<string, readonly Reading[]>>;

/** A value that is read as the same object. */
export function same(what: string, schema: Schema<unknown>, given: object): Reading {
  return [what, schema, given, given];
}

export function describeReadings(rows: ReadingRows): void {
  describe("a reading", () => {
    for (const [rule, readings] of Object.entries(rows)) {
      for (const reading of readings) it(`${rule}: ${reading[0]}`, () => prove(reading));
    }
  });
}

function prove([, schema, given, expected]: Reading): void {
  const before = JSON.stringify(given);
  const read = schema.read(given);
  assert.equal(JSON.stringify(given), before, "what was given is not changed");
  if (typeof expected === "string") {
    assert.ok(read instanceof Fault, "it is refused");
    assert.equal(read.describe().slice(0, expected.length), expected);
  } else if (expected === given) assert.equal(read, given);
  else assert.deepEqual(read, expected);
}
