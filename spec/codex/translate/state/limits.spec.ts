/**
 * The limits of an account, as Codex reports them.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { CodexHarness, turnStarted } from "../../../support/codex/harness.ts";

const updated = (rateLimits: object): object => ({ method: "account/rateLimits/updated", params: { rateLimits } });
const used = (usedPercent: number, windowDurationMins = 300): object => ({
  usedPercent,
  windowDurationMins,
  resetsAt: 1_800_000_000,
});

describe("the limits of an account with Codex", () => {
  it("a window that is missing stays as it was", () => {
    const { state, take } = harness();
    take(updated({ limitId: "codex", primary: used(10), secondary: used(20, 10_080), planType: "plus" }));
    take(updated({ limitId: "codex", primary: used(11), secondary: null, planType: null }));
    assert.deepEqual(
      state.limits.all.map(({ id, name, usedPercent }) => [id, name, usedPercent]),
      [
        ["primary", "5-hour limit", 11],
        ["secondary", "weekly limit", 20],
      ],
    );
    assert.equal(state.limits.plan, "plus");
  });

  it("a limit that is reached counts as used up, and limits of single models have names of their own", () => {
    const { state, take } = harness();
    take(updated({ primary: used(97), secondary: used(20, 1440), rateLimitReachedType: "rate_limit_reached" }));
    take(updated({ limitId: "spark", limitName: "Spark", primary: used(5, 90) }));
    assert.deepEqual(
      state.limits.all.map(({ id, name, usedPercent }) => [id, name, usedPercent]),
      [
        ["primary", "5-hour limit", 100],
        ["secondary", "1-day limit", 20],
        ["spark_primary", "90-minute limit for Spark", 5],
      ],
    );
  });

  it("values that are none are ignored, and the number of limits stays small", () => {
    const { state, take } = harness();
    take(updated({ primary: used(-1), secondary: { usedPercent: null } }));
    assert.deepEqual(state.limits.all, []);
    for (let i = 0; i < 100; i++) take(updated({ limitId: `m${i}`, primary: used(1) }));
    assert.ok(state.limits.all.length <= 16);
    take(updated({ limitId: "m0", primary: { usedPercent: 2, resetsAt: 1e300 } }));
    assert.deepEqual(state.limits.all[0], { id: "m0_primary", name: "usage limit for m0", usedPercent: 2 });
  });

  it("only the conversation that works shows a notice, and later ones too", () => {
    const idle = new CodexHarness();
    assert.deepEqual(idle.take(updated({ primary: used(80) })), []);
    const [shown] = idle.take(turnStarted(), updated({ primary: used(80) }));
    assert.match(JSON.stringify(shown), /80% of the 5-hour limit is used\. It resets on Fri 15 Jan, \d\d:\d\d \S+\./);
    assert.deepEqual(idle.take(updated({ primary: used(81) })), []);
  });
});

function harness(): { readonly state: CodexHarness["state"]; readonly take: (message: object) => void } {
  const codex = new CodexHarness();
  return { state: codex.state, take: (message) => void codex.take(message) };
}
