/**
 * When an idle session stops its CLI, how the next prompt starts another, and what happens
 * to a prewarmed session whose CLI exits.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { agentHarness, type AgentHarness, ends, takes } from "../../../support/claude/agent-harness.ts";
import type { FakeCli } from "../../../support/claude/fake-cli.ts";

const tick = (): Promise<void> => new Promise(setImmediate);

describe("idle timeout of a session", () => {
  it("an idle session stops its CLI, waits for its exit, and resumes with another", async () => {
    const { open, prompt, cli, time } = await agentHarness({ idleTimeoutMs: 1000 });
    const { sessionId, fakeCli } = await open();
    const first = prompt(sessionId, "1");
    const one = await fakeCli.hear("user");
    fakeCli.say(...takes(one, "own"), ...ends(one));
    await first;
    time.advance(1000);
    const second = prompt(sessionId, "2");
    const next = await cli.run(1);
    assert.equal(fakeCli.isOpen, false, "two CLIs would write to one transcript");
    assert.deepEqual(next.request.launch.session, { kind: "resume", id: "own" });
    const two = await next.hear("user");
    next.say(...takes(two), ...ends(two));
    assert.deepEqual(await second, { stopReason: "end_turn" });
  });

  it("an idle session keeps its CLI while the CLI is busy or has background tasks", async () => {
    const { open, time } = await agentHarness({ idleTimeoutMs: 1000 });
    const { fakeCli } = await open();
    await tick();
    const state = (to: string): object => ({ type: "system", subtype: "session_state_changed", state: to });
    const tasks = (...list: readonly object[]): object => ({
      type: "system",
      subtype: "background_tasks_changed",
      tasks: list,
    });
    fakeCli.say(state("running"));
    await tick();
    time.advance(1000);
    fakeCli.say(state("idle"), tasks({ task_id: "1", task_type: "bash", description: "x" }));
    await tick();
    time.advance(1000);
    await tick();
    assert.equal(fakeCli.isOpen, true);
    fakeCli.say(tasks());
    await tick();
    time.advance(1000);
    await tick();
    assert.equal(fakeCli.isOpen, false);
  });
});

describe("the CLI of a prewarmed session", () => {
  const soonMs = 2000;
  const idOf = ({ request }: FakeCli): string | undefined => request.launch.session?.id;

  async function opened({ editor }: AgentHarness): Promise<string> {
    return (await editor.call("session/new", { cwd: "/", mcpServers: [] })).sessionId;
  }

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
});
