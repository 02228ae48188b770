/**
 * Checks that an agent is garbage collected after random traffic.
 */
import assert from "node:assert/strict";
import fc from "fast-check";
import { describe, it } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { scenarios, type Scenario } from "../tooling/fuzz/random-moves.ts";
import { RandomDriver } from "../tooling/fuzz/random-driver.ts";

setFlagsFromString("--expose-gc");
const collect: () => void = runInNewContext("gc");

/** Runs a scenario and keeps only a weak reference to its agent, sessions, client and CLIs. */
async function driven(scenario: Scenario): Promise<WeakRef<RandomDriver>> {
  const driver = new RandomDriver(scenario);
  await driver.run();
  return new WeakRef(driver);
}

describe("an agent whose client is gone", () => {
  it("an agent whose client has disconnected is garbage collected", async () => {
    const held: WeakRef<RandomDriver>[] = [];
    for (const scenario of fc.sample(scenarios, { seed: 4711, numRuns: 12 })) held.push(await driven(scenario));
    // A few rounds: what is freed in one may hold what the next frees.
    for (let round = 0; round < 10; round++) {
      await new Promise((resolve) => setImmediate(resolve));
      collect();
    }
    const left = held.filter((one) => one.deref() !== undefined).length;
    assert.ok(left <= 1, `${left} of ${held.length} are left; the last may still be on the stack`);
  });
});
