/**
 * A Claude CLI when the clock jumps, because the machine slept or the time was set.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { agentHarness, ends, mayI, says, takes } from "../../support/claude/agent-harness.ts";

const tick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const dayMs = 24 * 3_600_000;

describe("a clock that jumps ahead by a day", () => {
  it("a clock jump in the middle of a turn ends nothing", async () => {
    const { open, prompt, time, cli } = await agentHarness();
    const { sessionId, fakeCli } = await open();
    const answered = prompt(sessionId, "hi");
    const frame = await fakeCli.hear("user");
    fakeCli.say(...takes(frame), says("Wait."));
    await tick();
    time.advance(dayMs);
    await tick();
    fakeCli.say(...ends(frame));
    assert.deepEqual(await answered, { stopReason: "end_turn" });
    assert.equal(cli.runs.length, 1);
  });

  it("a clock jump leaves a permission request open, and the user's answer counts", async () => {
    let answer: (optionId: string) => void = () => {};
    const { open, prompt, time } = await agentHarness({
      permit: () =>
        new Promise((resolve) => {
          answer = (optionId) => resolve({ outcome: { outcome: "selected", optionId } });
        }),
    });
    const { sessionId, fakeCli } = await open();
    void prompt(sessionId, "hi").catch(() => {});
    fakeCli.say(...takes(await fakeCli.hear("user")), mayI("Bash", { command: "ls" }));
    await tick();
    time.advance(dayMs);
    await tick();
    assert.ok(
      fakeCli.frames.every(({ type }) => type !== "control_response"),
      "the agent does not answer for the user",
    );
    answer("allow");
    const { response } = await fakeCli.hear("control_response");
    assert.equal(response.response.behavior, "allow");
  });

  it("a clock jump between two prompts stops the idle CLI, and the next prompt resumes it", async () => {
    const { open, prompt, time, cli } = await agentHarness();
    const { sessionId, fakeCli } = await open();
    const first = prompt(sessionId, "1");
    const one = await fakeCli.hear("user");
    fakeCli.say(...takes(one, "own"), ...ends(one));
    await first;
    time.advance(dayMs);
    await tick();
    const second = prompt(sessionId, "2");
    const next = await cli.run(1);
    assert.deepEqual(next.request.launch.session, { kind: "resume", id: "own" });
    const two = await next.hear("user");
    next.say(...takes(two), ...ends(two));
    assert.deepEqual(await second, { stopReason: "end_turn" });
  });
});
