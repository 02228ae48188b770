/**
 * When an idle session stops its CLI, and how the next prompt starts another.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { agentHarness, ends, takes } from "../../support/agent-harness.ts";

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
