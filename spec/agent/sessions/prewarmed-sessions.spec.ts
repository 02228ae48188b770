/**
 * Prewarmed sessions: how many are kept, for how long, and for which requests.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { maxPrewarmed, prewarmLimitMs } from "../../../lib/agent/sessions/prewarmed-sessions.ts";
import { EngineFailure } from "../../../lib/engine/index.ts";
import { type ScriptedHarness, scriptedHarness } from "../../support/agent/scripted-harness.ts";

const soonMs = 2000;
const tick = (): Promise<void> => new Promise(setImmediate);

async function opened({ editor }: ScriptedHarness, cwd = "/"): Promise<string> {
  return (await editor.call("session/new", { cwd, mcpServers: [] })).sessionId;
}

const running = ({ engine }: ScriptedHarness): number => engine.opened.filter(({ isRunning }) => isRunning).length;

describe("PrewarmedSessions", () => {
  it("a session is prewarmed shortly after session/new and given to the next session/new", async () => {
    const harness = await scriptedHarness({ prewarms: true });
    const { engine } = harness;
    const commands = [{ name: "compact", description: "" }];
    engine.onCall = (conversation, call) => {
      if (call === "start") conversation.emit({ type: "commands_changed", commands });
    };
    await opened(harness);
    assert.equal(engine.opened.length, 1, "prewarming waits for the first prompt");
    harness.time.advance(soonMs);
    await tick();
    assert.deepEqual(engine.opened[1]?.calls, ["start"]);
    assert.equal(await opened(harness), engine.opened[1]?.id);
    assert.equal(engine.opened.length, 2, "no conversation was opened for it");
    await tick();
    await tick();
    assert.equal(harness.updates.filter((one) => one.sessionUpdate === "available_commands_update").length, 2);
  });

  it("a prewarmed session is not given to a request with another cwd, other directories or other MCP servers", async () => {
    const harness = await scriptedHarness({ prewarms: true });
    await opened(harness);
    harness.time.advance(soonMs);
    const waiting = harness.engine.opened[1]?.id;
    assert.ok(waiting);
    const servers = [{ name: "x", command: "/bin/x", args: [], env: [] }];
    const others = [
      { cwd: "/tmp", mcpServers: [] },
      { cwd: "/", mcpServers: servers },
      { cwd: "/", mcpServers: [], additionalDirectories: ["/tmp"] },
    ];
    for (const request of others)
      assert.notEqual((await harness.editor.call("session/new", request)).sessionId, waiting);
  });

  it("a prewarmed session is not given to a client that has sent other capabilities since", async () => {
    const harness = await scriptedHarness({ prewarms: true });
    await opened(harness);
    harness.time.advance(soonMs);
    await tick();
    const clientCapabilities = { _meta: { bowline: { raw: true } } };
    await harness.editor.call("initialize", { protocolVersion: 1, clientCapabilities });
    assert.equal(await opened(harness), harness.engine.opened[2]?.id);
  });

  it("a prewarmed session is replaced by a new one when the engine's configuration has changed", async () => {
    const harness = await scriptedHarness({ prewarms: true });
    await opened(harness);
    harness.time.advance(soonMs);
    await tick();
    harness.engine.configFingerprint = () => "changed";
    assert.equal(await opened(harness), harness.engine.opened[2]?.id);
    await tick();
    assert.equal(harness.engine.opened[1]?.calls.at(-1), "close");
  });

  it("at most maxPrewarmed sessions are kept, for the directories used last", async () => {
    const harness = await scriptedHarness({ prewarms: true });
    const places = ["/", "/tmp", "/usr"];
    for (const place of places) await opened(harness, place);
    harness.time.advance(soonMs);
    await tick();
    assert.equal(running(harness), places.length + maxPrewarmed);
    const before = harness.engine.opened.length;
    await opened(harness, "/");
    assert.equal(harness.engine.opened.length, before + 1, "the session of the directory used longest ago was closed");
  });

  it("a prewarmed session is closed after prewarmLimitMs", async () => {
    const harness = await scriptedHarness({ prewarms: true, idleTimeoutMs: 0 });
    await opened(harness);
    harness.time.advance(soonMs);
    await tick();
    assert.equal(running(harness), 2);
    harness.time.advance(prewarmLimitMs);
    await tick();
    assert.equal(running(harness), 1);
  });

  it("a prewarmed session that does not run any more or fails while it is taken is replaced by a new one", async () => {
    const harness = await scriptedHarness({ prewarms: true });
    const { engine } = harness;
    await opened(harness);
    harness.time.advance(soonMs);
    await tick();
    const [, dead] = engine.opened;
    assert.ok(dead);
    dead.isRunning = false;
    assert.equal(await opened(harness), engine.opened[2]?.id);
    assert.notEqual(engine.opened[2]?.id, dead.id);
    let fail: (cause: unknown) => void = () => {};
    engine.onCall = (conversation, call) =>
      call === "start" && conversation === engine.opened[3] ? new Promise((_, reject) => (fail = reject)) : undefined;
    harness.time.advance(soonMs);
    const opening = opened(harness);
    await tick();
    assert.equal(engine.opened.length, 4, "the prewarmed session is taken");
    fail(new EngineFailure("exited", "the engine exited"));
    assert.equal(await opening, engine.opened[4]?.id);
  });

  it("prewarmed sessions are closed with the agent, and none is started afterwards", async () => {
    const harness = await scriptedHarness({ prewarms: true });
    await opened(harness);
    harness.time.advance(soonMs);
    await opened(harness, "/tmp");
    await harness.agent.stop("over");
    assert.equal(running(harness), 0);
    harness.time.advance(soonMs);
    await tick();
    assert.equal(running(harness), 0);
  });

  it("prewarmed sessions are closed when the user signs out", async () => {
    const harness = await scriptedHarness({ prewarms: true, idleTimeoutMs: 0 });
    await opened(harness);
    harness.time.advance(soonMs);
    await tick();
    await harness.editor.call("logout", {});
    assert.deepEqual([running(harness), harness.time.pending()], [1, 0]);
  });

  it("no session is prewarmed when prewarms is false", async () => {
    const harness = await scriptedHarness({ prewarms: false });
    await opened(harness);
    harness.time.advance(prewarmLimitMs);
    assert.equal(harness.engine.opened.length, 1);
  });
});
