/**
 * The demo: what a newcomer reads on the first run.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { demo } from "../../lib/client/demo.ts";

describe("demo", () => {
  it("tells a whole turn in order: a thought, a plan, a tool call, a permission, the end", async () => {
    const told: string[] = [];
    await demo((text) => told.push(text));
    const words = told
      .join("")
      .split("\n")
      .map((line) => line.split(/\s{2,}/)[0]);
    const middle = "plan plan tool call permission tool call plan plan".match(/tool call|\w+/g);
    assert.deepEqual(words, ["connected", "thought", "message", ...(middle ?? []), "message", "stopped", ""]);
  });

  it("ends by itself, twice in a row", async () => {
    await demo(() => {});
    await demo(() => {});
  });
});
