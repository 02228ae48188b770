/**
 * Prewarmed sessions: how many are kept, for how long, and for which requests.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { maxPrewarmed, prewarmLimitMs } from "../../../lib/agent/sessions/prewarmed-sessions.ts";
import { agentHarness, type AgentHarness } from "../../support/agent-harness.ts";
import type { FakeCli } from "../../support/fake-cli.ts";

const soonMs = 2000;
const tick = (): Promise<void> => new Promise(setImmediate);

async function opened({ editor }: AgentHarness, cwd = "/"): Promise<string> {
  return (await editor.call("session/new", { cwd, mcpServers: [] })).sessionId;
}

const idOf = ({ request }: FakeCli): string | undefined => request.launch.session?.id;
const running = ({ cli }: AgentHarness): number => cli.runs.filter(({ isOpen }) => isOpen).length;

describe("PrewarmedSessions", () => {
  it("a session is prewarmed shortly after session/new and given to the next session/new", async () => {
    const harness = await agentHarness({ prewarms: true });
    await opened(harness);
    assert.equal(harness.cli.runs.length, 1, "prewarming waits for the first prompt");
    harness.time.advance(soonMs);
    const waiting = await harness.cli.run(1);
    await tick();
    assert.equal(await opened(harness), idOf(waiting));
    assert.equal(harness.cli.runs.length, 2, "no CLI was started for it");
    await tick();
    await tick();
    assert.equal(harness.updates.filter((one) => one.sessionUpdate === "available_commands_update").length, 2);
  });

  it("a prewarmed session is not given to a request with another cwd, other directories or other MCP servers", async () => {
    const harness = await agentHarness({ prewarms: true });
    await opened(harness);
    harness.time.advance(soonMs);
    const waiting = idOf(await harness.cli.run(1));
    const servers = [{ name: "x", command: "/bin/x", args: [], env: [] }];
    const others = [
      { cwd: "/tmp", mcpServers: [] },
      { cwd: "/", mcpServers: servers },
      { cwd: "/", mcpServers: [], additionalDirectories: ["/tmp"] },
    ];
    for (const request of others)
      assert.notEqual((await harness.editor.call("session/new", request)).sessionId, waiting);
  });

  it("at most maxPrewarmed sessions are kept, for the directories used last", async () => {
    const harness = await agentHarness({ prewarms: true });
    const places = ["/", "/tmp", "/usr"];
    for (const place of places) await opened(harness, place);
    harness.time.advance(soonMs);
    await tick();
    assert.equal(running(harness), places.length + maxPrewarmed);
    const before = harness.cli.runs.length;
    await opened(harness, "/");
    assert.equal(harness.cli.runs.length, before + 1, "the session of the directory used longest ago was closed");
  });

  it("a prewarmed session is closed after prewarmLimitMs", async () => {
    const harness = await agentHarness({ prewarms: true, idleTimeoutMs: 0 });
    await opened(harness);
    harness.time.advance(soonMs);
    await tick();
    assert.equal(running(harness), 2);
    harness.time.advance(prewarmLimitMs);
    await tick();
    assert.equal(running(harness), 1);
  });

  it("a prewarmed session whose CLI has died or dies while it is taken is replaced by a new one", async () => {
    const harness = await agentHarness({ prewarms: true });
    await opened(harness);
    harness.time.advance(soonMs);
    const dead = await harness.cli.run(1);
    await tick();
    dead.die();
    await tick();
    const second = await opened(harness);
    assert.notEqual(second, idOf(dead));
    harness.cli.answer = undefined;
    harness.time.advance(soonMs);
    const mute = await harness.cli.run(3);
    const opening = opened(harness);
    await mute.hear("initialize");
    harness.cli.answer = harness.cli.usual;
    mute.die();
    assert.equal(await opening, idOf(await harness.cli.run(4)));
  });

  it("prewarmed sessions are closed with the agent, and none is started afterwards", async () => {
    const harness = await agentHarness({ prewarms: true });
    await opened(harness);
    harness.time.advance(soonMs);
    await opened(harness, "/tmp");
    await harness.agent.stop("over");
    assert.equal(running(harness), 0);
    harness.time.advance(soonMs);
    await tick();
    assert.equal(running(harness), 0);
  });

  it("no session is prewarmed when prewarms is false", async () => {
    const harness = await agentHarness({ prewarms: false });
    await opened(harness);
    harness.time.advance(prewarmLimitMs);
    assert.equal(harness.cli.runs.length, 1);
  });
});
