/**
 * The rules: a model agent keeps each of them, and each is seen when it is broken.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { check, type CheckOptions, type Finding, type Report } from "../../../lib/program/check/check.ts";
import type { Rule } from "../../../lib/program/check/rule.ts";
import { rules } from "../../../lib/program/check/rules.ts";
import { faults } from "../../support/program/rule-breakers.ts";
import { type Disk, ModelAgent } from "../../support/program/model-agent.ts";

/** Enough for an agent in the same process, and short for the tests of a silent one. */
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

function reasons(findings: readonly Finding[]): readonly (string | undefined)[] {
  return [...new Set(findings.filter(({ status }) => status !== "pass").map(({ why }) => why))];
}

function wantsSignIn(agent: ModelAgent): void {
  let isSignedIn = false;
  const { authenticate, "session/new": open } = agent.handlers;
  agent.handlers["authenticate"] = (params, id) => {
    authenticate?.(params, id);
    isSignedIn = true;
  };
  agent.handlers["session/new"] = (params, id) => {
    agent.demand(typeof params["cwd"] === "string", -32602);
    agent.demand(isSignedIn, -32000);
    return open?.(params, id);
  };
}

describe("check", () => {
  it("an agent that keeps every rule passes every rule", async () => {
    const { agent, findings } = await trial(rules, () => {});
    assert.deepEqual(agent, { name: "model", version: "1.0.0" });
    assert.equal(findings.length, rules.length);
    assert.deepEqual(
      findings.filter(({ status }) => status !== "pass"),
      [],
    );
  });

  it("no prompt is sent when prompts are turned off", async () => {
    const methods = new Set<string>();
    const listen = (agent: ModelAgent): void => {
      const own = agent.hear.bind(agent);
      agent.hear = (line) => {
        methods.add(/"method":"([^"]*)"/.exec(line)?.[1] ?? "");
        return own(line);
      };
    };
    const { findings } = await trial(rules, listen, { prompts: undefined });
    assert.ok(methods.has("session/new") && !methods.has("session/prompt"));
    assert.deepEqual(reasons(findings), ["prompts are left out"]);
  });

  it("an agent that requires a sign-in is tested as far as possible, and the other rules are not run", async () => {
    const { findings } = await trial(rules, wantsSignIn);
    assert.deepEqual(reasons(findings), ["sign-in needed"]);
    const passed = findings.filter(({ status }) => status === "pass").map(({ id }) => id);
    assert.ok(passed.includes("saved/list") && passed.includes("rpc/unknown-method"));
    assert.ok(!passed.some((id) => id.startsWith("options/") || id.startsWith("session/")));
  });

  it("the check signs in first when it has a method", async () => {
    const { findings } = await trial(rules, wantsSignIn, { authMethod: "token" });
    assert.deepEqual(reasons(findings), []);
  });

  it("rules that need a turn are not run on an agent that requires a sign-in for prompts", async () => {
    const { findings } = await trial(rules, (agent) => {
      agent.handlers["session/prompt"] = () => agent.demand(false, -32000);
    });
    assert.deepEqual(reasons(findings), ["sign-in needed"]);
  });

  it("the check ends with an agent that never answers, and with one that dies at once", async () => {
    for (const spoil of [
      (agent: ModelAgent) => void (agent.hear = async () => {}),
      (agent: ModelAgent) => agent.die(),
    ]) {
      const { findings } = await trial(rules, spoil, { limitMs: 10 });
      assert.equal(findings.find(({ id }) => id === "initialize/answers")?.status, "fail");
      assert.equal(findings.find(({ id }) => id === "session/new")?.status, "not run");
      assert.equal(findings.length, rules.length);
    }
  });

  it("an agent that a rule has ended is started again", async () => {
    const { findings } = await trial(rules, (agent) => {
      const own = agent.hear.bind(agent);
      agent.hear = async (line) => (line === "{" ? agent.die() : own(line));
    });
    assert.deepEqual(
      findings.filter(({ status }) => status !== "pass").map(({ id }) => id),
      ["rpc/survives"],
    );
  });

  it("a failure quotes the agent's own error message on one line", async () => {
    const [opening] = rules.filter(({ id }) => id === "session/new");
    assert.ok(opening);
    const { findings } = await trial([opening], (agent) => {
      agent.handlers["session/new"] = () => assert.fail(`no disk\nleft ${"x".repeat(1000)}`);
    });
    assert.match(findings[0]?.why ?? "", /^session\/new was answered with error -32603 \(.*no disk left x{50,}\)$/);
    assert.ok((findings[0]?.why?.length ?? 0) < 300);
  });

  it("a response that violates the schema fails with the field's path, also where readers are lenient", async () => {
    const [shape] = rules.filter(({ id }) => id === "initialize/shape");
    assert.ok(shape);
    const { findings } = await trial([shape], faults["initialize/shape"] ?? assert.fail());
    assert.equal(findings[0]?.why, "in the answer, agentCapabilities.loadSession is not as the schema has it");
  });

  for (const rule of rules) {
    it(`the rule ${rule.id} fails for an agent that breaks it`, async () => {
      const spoil = faults[rule.id];
      assert.ok(spoil, "there is a way to break it");
      const { findings } = await trial([rule], spoil);
      assert.equal(findings[0]?.status, "fail", findings[0]?.why);
      assert.match(findings[0].why ?? "", /^\S.*[^.]$/);
    });

    it(`the rule ${rule.id} passes when it is tested alone`, async () => {
      const { findings } = await trial([rule], () => {});
      assert.deepEqual(findings, [{ id: rule.id, level: rule.level, status: "pass" }]);
    });
  }
});
