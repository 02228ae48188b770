/**
 * Specs of asking the CLI for the output of running commands.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { agentHarness, ends, takes } from "../../support/claude/agent-harness.ts";
import { at } from "../../support/json.ts";

describe("live output", () => {
  it("a command in the foreground is asked for its output until it has ended", async () => {
    const { open, prompt, time, updates } = await agentHarness();
    const { sessionId, fakeCli } = await open();
    const running = prompt(sessionId, "go");
    const sent = await fakeCli.hear("user");
    const call = { type: "tool_use", id: "t1", name: "Bash", input: { command: "make" } };
    const task = { type: "system", subtype: "task_started", task_id: "b1", tool_use_id: "t1", task_type: "local_bash" };
    fakeCli.say(...takes(sent), { type: "assistant", message: { id: "m1", role: "assistant", content: [call] } }, task);
    const answer = async (output: string): Promise<void> => {
      fakeCli.answer(await fakeCli.hear("get_task_output"), { output, total_bytes: output.length, truncated: false });
      // The answer is read before the timer of the next question is started.
      await new Promise(setImmediate);
      await new Promise(setImmediate);
    };
    await answer("one\n");
    time.advance(250);
    await answer("one\ntwo\n");
    const result = { type: "tool_result", tool_use_id: "t1", content: "one\ntwo" };
    fakeCli.say({ type: "user", message: { role: "user", content: [result] } }, ...ends(sent));
    await running;
    time.advance(60_000);
    const questions = fakeCli.frames.filter((frame) => frame["request"]?.subtype === "get_task_output");
    assert.equal(questions.length, 2, "nothing is asked after the end");
    const shown = updates.map((one) => JSON.stringify(at(one, "content") ?? "")).filter((text) => text.includes("one"));
    assert.deepEqual(
      shown.map((text) => text.includes("two")),
      [false, true, true],
    );
  });

  it("a command that is cancelled keeps the output that was shown", async () => {
    const { open, prompt, updates } = await agentHarness();
    const { sessionId, fakeCli } = await open();
    const running = prompt(sessionId, "go");
    const sent = await fakeCli.hear("user");
    const call = { type: "tool_use", id: "t1", name: "Bash", input: { command: "make", description: "Build" } };
    const task = { type: "system", subtype: "task_started", task_id: "b1", tool_use_id: "t1", task_type: "local_bash" };
    fakeCli.say(...takes(sent), { type: "assistant", message: { id: "m1", role: "assistant", content: [call] } }, task);
    fakeCli.answer(await fakeCli.hear("get_task_output"), {
      output: "built 3 of 9\n",
      total_bytes: 13,
      truncated: false,
    });
    while (!JSON.stringify(updates).includes("built 3 of 9")) await new Promise(setImmediate);
    const text = "[Request interrupted by user for tool use]";
    const result = { type: "tool_result", tool_use_id: "t1", is_error: true, content: text };
    const tool_result_meta = [{ id: "t1", non_execution_kind: "interrupted" }];
    fakeCli.say({ type: "user", message: { role: "user", content: [result] }, tool_result_meta }, ...ends(sent));
    await running;
    const last = updates.filter((one) => one.sessionUpdate === "tool_call_update").at(-1);
    assert.match(JSON.stringify(at(last, "content")), /built 3 of 9[^]*Cancelled\./);
  });
});
