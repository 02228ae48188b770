/**
 * Specs of the account's limits in the output of `bowline doctor`.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { checkLimits, describeLimits } from "../../../lib/program/doctor/limits.ts";

describe("the limits of the account", () => {
  const limit = { id: "five_hour", name: "5-hour limit", usedPercent: 76, resetsAt: "1970-01-01T02:05:00Z" };

  it("the limits are shown with their resets, and one that is reached is a warning", () => {
    const shown = describeLimits({ plan: "max", limits: [limit], models: [] }, 0);
    assert.equal(shown.status, "ok");
    assert.match(shown.says, /^plan max; 5-hour limit: 76% used, resets at \d\d:\d\d \(in 2 h 5 min\)$/);
    assert.equal(describeLimits({ limits: [{ ...limit, usedPercent: 100 }], models: [] }, 0).status, "warn");
    assert.deepEqual(describeLimits({ limits: [], models: [] }, 0), { status: "ok", says: "the CLI reports none" });
  });

  it("a CLI that cannot be started or does not answer is no failure", async () => {
    const env = { BOWLINE_CLAUDE: process.execPath, PATH: "/usr/bin:/bin" };
    assert.deepEqual(await checkLimits(env, 1000), { status: "ok", says: "not known: the CLI did not say in time" });
  });
});
