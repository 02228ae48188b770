/**
 * The largest of any number of values, and the code blocks that need it.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { fenced } from "../../lib/display/index.ts";
import { largest } from "../../lib/schema/index.ts";

describe("largest", () => {
  it("largest finds the largest of any number of values, and not less than the least", () => {
    assert.deepEqual([largest(2, []), largest(2, [1, 7, 3]), largest(2, Array(500_000).fill(5))], [2, 7, 5]);
  });

  it("an output with any number of fences is a code block whose fence is longer than each", () => {
    const output = "```\n".repeat(400_000);
    assert.ok(fenced(output + "````\n").startsWith("`````\n"));
  });
});
