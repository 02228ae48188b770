/**
 * Sessions that wait ready, in memory: how many, for how long, for whom.
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
    const all = await agentHarness({ prewarms: true });
    await opened(all);
    assert.equal(all.cli.runs.length, 1, "the first prompt comes first");
    all.time.advance(soonMs);
    const waiting = await all.cli.run(1);
    await tick();
    assert.equal(await opened(all), idOf(waiting));
    assert.equal(all.cli.runs.length, 2, "nothing was started for it");
    await tick();
    await tick();
    assert.equal(all.updates.filter((one) => one.sessionUpdate === "available_commands_update").length, 2);
  });

  it("a prewarmed session is not given to a request with another cwd, other directories or other MCP servers", async () => {
    const all = await agentHarness({ prewarms: true });
    await opened(all);
    all.time.advance(soonMs);
    const waiting = idOf(await all.cli.run(1));
    const servers = [{ name: "x", command: "/bin/x", args: [], env: [] }];
    const others = [
      { cwd: "/tmp", mcpServers: [] },
      { cwd: "/", mcpServers: servers },
      { cwd: "/", mcpServers: [], additionalDirectories: ["/tmp"] },
    ];
    for (const wish of others) assert.notEqual((await all.editor.call("session/new", wish)).sessionId, waiting);
  });

  it("at most maxPrewarmed sessions are kept, for the directories used last", async () => {
    const all = await agentHarness({ prewarms: true });
    const places = ["/", "/tmp", "/usr"];
    for (const place of places) await opened(all, place);
    all.time.advance(soonMs);
    await tick();
    assert.equal(running(all), places.length + maxPrewarmed);
    const before = all.cli.runs.length;
    await opened(all, "/");
    assert.equal(all.cli.runs.length, before + 1, "the longest unused is gone");
  });

  it("a prewarmed session is closed after prewarmLimitMs", async () => {
    const all = await agentHarness({ prewarms: true, idleTimeoutMs: 0 });
    await opened(all);
    all.time.advance(soonMs);
    await tick();
    assert.equal(running(all), 2);
    all.time.advance(prewarmLimitMs);
    await tick();
    assert.equal(running(all), 1);
  });

  it("a prewarmed session whose CLI has died or dies while it is taken is replaced by a new one", async () => {
    const all = await agentHarness({ prewarms: true });
    await opened(all);
    all.time.advance(soonMs);
    const dead = await all.cli.run(1);
    await tick();
    dead.die();
    await tick();
    const second = await opened(all);
    assert.notEqual(second, idOf(dead));
    all.cli.answer = undefined;
    all.time.advance(soonMs);
    const mute = await all.cli.run(3);
    const opening = opened(all);
    await mute.hear("initialize");
    all.cli.answer = all.cli.usual;
    mute.die();
    assert.equal(await opening, idOf(await all.cli.run(4)));
  });

  it("prewarmed sessions are closed with the agent, and none is started afterwards", async () => {
    const all = await agentHarness({ prewarms: true });
    await opened(all);
    all.time.advance(soonMs);
    await opened(all, "/tmp");
    await all.agent.stop("over");
    assert.equal(running(all), 0);
    all.time.advance(soonMs);
    await tick();
    assert.equal(running(all), 0);
  });

  it("no session is prewarmed when prewarms is false", async () => {
    const all = await agentHarness({ prewarms: false });
    await opened(all);
    all.time.advance(prewarmLimitMs);
    assert.equal(all.cli.runs.length, 1);
  });
});
