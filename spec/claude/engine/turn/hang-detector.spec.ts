/**
 * A CLI that runs but does not read its input: the prompt is not lost in it.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { hangProbeMs } from "../../../../lib/claude/engine/turn/hang-detector.ts";
import { memoryPair } from "../../../../lib/wire/index.ts";
import { agentHarness, ends, says, takes } from "../../../support/claude/agent-harness.ts";

const tick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe("watchForHang", () => {
  it("a prompt is sent to another CLI after two unanswered probes", async () => {
    const { open, prompt, cli, time } = await agentHarness();
    const { sessionId, fakeCli } = await open();
    const answered = prompt(sessionId, "hi");
    await fakeCli.hear("user");
    time.advance(hangProbeMs);
    await fakeCli.hear("get_binary_version");
    time.advance(hangProbeMs);
    await fakeCli.hear("get_binary_version");
    assert.equal(cli.runs.length, 1, "the machine may have slept during the first probe");
    time.advance(hangProbeMs);
    const next = await cli.run(1);
    assert.equal(fakeCli.isOpen, false, "the hung CLI is stopped first");
    const frame = await next.hear("user");
    assert.equal(frame["message"].content, "hi");
    next.say(...takes(frame), says("Hello."), ...ends(frame));
    assert.deepEqual(await answered, { stopReason: "end_turn" });
  });

  it("a prompt fails when the second CLI hangs too, and the next prompt starts a third", async () => {
    const { open, prompt, cli, time } = await agentHarness();
    const { sessionId } = await open();
    const failure = { code: -32603, message: /the Claude CLI does not answer; try again/ };
    const failed = assert.rejects(prompt(sessionId, "hi"), failure);
    for (const nth of [0, 1]) {
      const fakeCli = await cli.run(nth);
      await fakeCli.hear("user");
      for (let i = 0; i < 3; i++) {
        time.advance(hangProbeMs);
        await tick();
      }
    }
    await failed;
    const answered = prompt(sessionId, "again");
    const third = await cli.run(2);
    const frame = await third.hear("user");
    third.say(...takes(frame), ...ends(frame));
    assert.deepEqual(await answered, { stopReason: "end_turn" });
  });

  it("a CLI that answers the probe keeps the prompt, however long it is silent", async () => {
    const { open, prompt, cli, time } = await agentHarness();
    const { sessionId, fakeCli } = await open();
    const answered = prompt(sessionId, "hi");
    const frame = await fakeCli.hear("user");
    time.advance(hangProbeMs);
    fakeCli.answer(await fakeCli.hear("get_binary_version"), { version: "2.1.325" });
    await tick();
    time.advance(3_600_000);
    await tick();
    fakeCli.say(...takes(frame), ...ends(frame));
    assert.deepEqual(await answered, { stopReason: "end_turn" });
    assert.equal(cli.runs.length, 1);
  });

  it("no probe is sent after an event of the CLI or after the end of the turn", async () => {
    const { open, prompt, editor, time } = await agentHarness();
    const { sessionId, fakeCli } = await open();
    const answered = prompt(sessionId, "hi");
    fakeCli.say({ type: "keep_alive" });
    const frame = await fakeCli.hear("user");
    fakeCli.say(...takes(frame).slice(0, 1));
    await tick();
    time.advance(hangProbeMs * 4);
    await tick();
    fakeCli.say(...takes(frame), ...ends(frame));
    await answered;
    const cancelled = prompt(sessionId, "2");
    await fakeCli.hear("user");
    editor.cancel(sessionId);
    await fakeCli.hear("interrupt");
    time.advance(hangProbeMs * 4);
    await cancelled;
    assert.ok(fakeCli.frames.every(({ request }) => request?.subtype !== "get_binary_version"));
  });

  it("a CLI is not taken for hung while the agent does not read from it because the client lags", async () => {
    const pair = memoryPair({ lagChars: 1000 });
    const { open, prompt, cli, time } = await agentHarness({ pair });
    const [, far] = pair;
    const { sessionId, fakeCli } = await open();
    far.pause();
    fakeCli.say(says("x".repeat(2000)), says("y".repeat(2000), "msg_2"));
    await tick();
    const answered = prompt(sessionId, "hi");
    const frame = await fakeCli.hear("user");
    fakeCli.say(...takes(frame), ...ends(frame));
    for (let i = 0; i < 20; i++) {
      time.advance(hangProbeMs);
      await tick();
    }
    assert.equal(cli.runs.length, 1);
    far.resume();
    assert.deepEqual(await answered, { stopReason: "end_turn" });
  });
});
