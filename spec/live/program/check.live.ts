/**
 * Live specs of `bowline check` on agents with the real CLI, and on the official SDK's
 * example agent.
 *
 * The other agents show that the rules hold for agents that were not written for them.
 */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, it } from "node:test";
import { check, type Finding } from "../../../lib/program/check/check.ts";
import { mcpServer } from "../../../lib/program/check/run-check.ts";
import { rules } from "../../../lib/program/check/rules.ts";
import { childLink } from "../../../lib/wire/index.ts";
import { acpxCommand, claudeExecutable, peerInstallation } from "../../support/live/real-cli.ts";
import { answer, call, say, type Script } from "../../support/live/api/model-script.ts";
import { withEnvironment, type AgentOptions } from "../../support/live/live-environment.ts";

const editing = call("Write", { file_path: "/tmp/bowline-is-not-to-write-this", content: "x" });
const numbers = Array.from({ length: 200 }, (_, i) => `${i}\n`);

const limitMs = 30_000;
const gone = "the agent went away: the program exited with code 0";

/** A turn with a tool call that needs permission, and a turn that runs until it is cancelled. */
const scripts: Readonly<Record<string, Script>> = {
  short: [answer(say("Let me write."), editing), answer(say("No."))],
  long: [{ ...answer(say(...numbers)), everyMs: 100 }],
};

async function checked(options: AgentOptions): Promise<readonly Finding[]> {
  let findings: readonly Finding[] = [];
  await withEnvironment(scripts, async ({ place, program }) => {
    const { command, args = [], env } = program(options);
    const marker = place.path("mcp-was-started");
    const report = await check({
      rules,
      start: () => childLink(command, args, { env, graceMs: limitMs }),
      cwd: place.cwd,
      limitMs,
      authMethod: undefined,
      prompts: { short: "[[short]] go", long: "[[long]] go" },
      mcp: { server: mcpServer(marker), wasStarted: () => existsSync(marker) },
    });
    ({ findings } = report);
  });
  return findings;
}

function named(findings: readonly Finding[], status: Finding["status"]): readonly string[] {
  return findings.filter((one) => one.status === status).map(({ id, level, why }) => `${level} ${id}: ${why}`);
}

describe("check", () => {
  it("bowline check finds every rule kept by Bowline", async () => {
    const findings = await checked({});
    assert.deepEqual(named(findings, "fail"), []);
    assert.deepEqual(named(findings, "not run"), []);
  });

  it("bowline check reports what could not be tried when the user is not signed in", async () => {
    const findings = await checked({ env: { ANTHROPIC_API_KEY: undefined } });
    assert.deepEqual(named(findings, "fail"), []);
    assert.deepEqual(new Set(named(findings, "not run").map((one) => one.split(": ")[1])), new Set(["sign-in needed"]));
    assert.ok(named(findings, "pass").length > 25);
  });

  it("bowline check finds every MUST kept by claude-agent-acp", async () => {
    const { program } = peerInstallation();
    const findings = await checked({
      agent: [process.execPath, program],
      env: { CLAUDE_CODE_EXECUTABLE: claudeExecutable() },
    });
    // The peer exits when it gets an array of messages.
    assert.deepEqual(named(findings, "fail"), [`SHOULD rpc/survives: ${gone}`]);
  });

  it("bowline check finds every MUST kept by the official SDK's example agent", async () => {
    const [, cli] = acpxCommand();
    const example = join(dirname(cli ?? ""), "../../@agentclientprotocol/sdk/dist/examples/agent.js");
    const findings = await checked({ agent: [process.execPath, example] });
    const broken = named(findings, "fail");
    assert.ok(broken.includes(`SHOULD rpc/survives: ${gone}`));
    assert.deepEqual(
      broken.filter((one) => one.startsWith("MUST")),
      [],
    );
  });
});
