/**
 * Check: a model agent keeps every rule, and every rule can be broken.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { check, type CheckOptions, type Report } from "../../lib/client/check/check.ts";
import type { Rule } from "../../lib/client/check/rule.ts";
import { rules } from "../../lib/client/check/rules.ts";
import { faults } from "./support/faults.ts";
import { type Disk, ModelAgent } from "./support/model-agent.ts";

/** Long enough for an agent in the same process, short enough to wait for one that is silent. */
const limitMs = 150;

function trial(
  chosen: readonly Rule[],
  spoil: (agent: ModelAgent) => void,
  more: Partial<CheckOptions> = {},
): Promise<Report> {
  const disk: Disk = { saved: new Map(), isMcpStarted: false };
  const start = () => {
    const agent = new ModelAgent(disk);
    spoil(agent);
    return agent.link;
  };
  return check({
    rules: chosen,
    start,
    cwd: "/project",
    limitMs,
    authMethod: undefined,
    prompts: { short: "short", long: "long" },
    mcp: { server: { name: "m", command: "/bin/m", args: [], env: [] }, wasStarted: () => disk.isMcpStarted },
    ...more,
  });
}

describe("check", () => {
  it("finds every rule kept by an agent that keeps them all", async () => {
    const { agent, findings } = await trial(rules, () => {});
    assert.deepEqual(agent, { name: "model", version: "1.0.0" });
    assert.equal(findings.length, rules.length);
    assert.deepEqual(
      findings.filter(({ status }) => status !== "pass"),
      [],
    );
  });

  for (const rule of rules) {
    it(`sees ${rule.id} broken by an agent that breaks it`, async () => {
      const spoil = faults[rule.id];
      assert.ok(spoil, "there is a way to break it");
      const { findings } = await trial([rule], spoil);
      assert.equal(findings[0]?.status, "fail", findings[0]?.why);
      assert.match(findings[0].why ?? "", /^\S.*[^.]$/);
    });

    it(`sees ${rule.id} kept when it is tried alone`, async () => {
      const { findings } = await trial([rule], () => {});
      assert.deepEqual(findings, [{ id: rule.id, level: rule.level, status: "pass" }]);
    });
  }
});
