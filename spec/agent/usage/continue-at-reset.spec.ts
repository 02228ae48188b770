/**
 * Specs of prompts that continue when a usage limit resets.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { EngineFailure, type TurnEnd } from "../../../lib/engine/index.ts";
import { continuation, maxResets, maxWaitMs, resetMarginMs } from "../../../lib/agent/usage/continue-at-reset.ts";
import { messageText } from "../../support/agent/connected-agent.ts";
import { promptTexts, scriptedHarness, type ScriptedHarness } from "../../support/agent/scripted-harness.ts";

const hourMs = 60 * 60_000;

/** A limit that resets so long after the beginning of the fake clock. */
function limited(resetsInMs: number | undefined): TurnEnd {
  const resetsAt = resetsInMs === undefined ? undefined : resetsInMs / 1000;
  return { kind: "failed", failure: new EngineFailure("limit", "Usage limit reached", { resetsAt }) };
}

async function harness(continueAtReset = true): Promise<ScriptedHarness> {
  let time: ScriptedHarness["time"] | undefined;
  const made = await scriptedHarness({ settings: { continueAtReset }, now: () => time?.now() ?? 0 });
  time = made.time;
  return made;
}

const settled = (): Promise<void> => new Promise(setImmediate);

describe("a prompt that a usage limit stops", () => {
  it("a prompt that a usage limit stops waits for the reset, says so, and goes on within the same prompt", async () => {
    const { open, prompt, time, updates } = await harness();
    const { sessionId, conversation } = await open();
    const answered = prompt(sessionId, "work");
    await conversation.hear("submit");
    conversation.end(limited(2 * hourMs));
    await settled();
    assert.match(
      messageText(updates),
      /The usage limit is reached\. This prompt goes on at \d\d:\d\d, in 2 h 1 min\. Cancel it/,
    );
    time.advance(2 * hourMs);
    await settled();
    assert.deepEqual(promptTexts(conversation.prompts), ["work"], "not before the reset");
    time.advance(resetMarginMs);
    await conversation.hear("submit");
    assert.deepEqual(promptTexts(conversation.prompts), ["work", continuation]);
    conversation.end();
    assert.deepEqual(await answered, { stopReason: "end_turn" });
    assert.ok(
      updates.some((one) => one.sessionUpdate === "user_message_chunk"),
      "the user reads what was sent",
    );
    assert.equal(time.pending(), 1, "only the idle timer is left");
  });

  it("a cancel stops the waiting, and the prompt is answered as cancelled", async () => {
    const { open, prompt, editor, time } = await harness();
    const { sessionId, conversation } = await open();
    const answered = prompt(sessionId, "work");
    await conversation.hear("submit");
    conversation.end(limited(hourMs));
    await settled();
    editor.cancel(sessionId);
    assert.deepEqual(await answered, { stopReason: "cancelled" });
    time.advance(2 * hourMs);
    await settled();
    assert.deepEqual(promptTexts(conversation.prompts), ["work"]);
  });

  it("another prompt replaces a prompt that waits for the reset: the first fails with the limit, the second runs at once", async () => {
    const { open, prompt, time } = await harness();
    const { sessionId, conversation } = await open();
    const first = prompt(sessionId, "work");
    first.catch(() => {});
    await conversation.hear("submit");
    conversation.end(limited(hourMs));
    await settled();
    const second = prompt(sessionId, "other work");
    await conversation.hear("submit");
    conversation.end();
    assert.deepEqual(await second, { stopReason: "end_turn" });
    await assert.rejects(first, { code: -32603, data: { errorKind: "limit", resetsAt: 3600 } });
    time.advance(2 * hourMs);
    await settled();
    assert.deepEqual(promptTexts(conversation.prompts), ["work", "other work"]);
  });

  it("turning the option off ends the waiting: the prompt fails with the limit and nothing goes on", async () => {
    const { open, prompt, editor, time } = await harness();
    const { sessionId, conversation } = await open();
    const answered = prompt(sessionId, "work");
    answered.catch(() => {});
    await conversation.hear("submit");
    conversation.end(limited(hourMs));
    await settled();
    await editor.call("session/set_config_option", { sessionId, configId: "continue_at_reset", value: "false" });
    await assert.rejects(answered, { code: -32603, data: { errorKind: "limit", resetsAt: 3600 } });
    time.advance(2 * hourMs);
    await settled();
    assert.deepEqual(promptTexts(conversation.prompts), ["work"]);
  });

  it("closing the session ends the waiting", async () => {
    const { open, prompt, editor, time } = await harness();
    const { sessionId, conversation } = await open();
    const answered = prompt(sessionId, "work");
    await conversation.hear("submit");
    conversation.end(limited(hourMs));
    await settled();
    await editor.call("session/close", { sessionId });
    assert.deepEqual(await answered, { stopReason: "cancelled" });
    time.advance(2 * hourMs);
    await settled();
    assert.deepEqual(promptTexts(conversation.prompts), ["work"]);
  });

  it("a prompt that a usage limit stops fails at once when the option is off, without a reset, with a reset that is past or too far away", async () => {
    const off = await harness(false);
    const on = await harness();
    const cases = [
      [off, hourMs],
      [on, undefined],
      [on, -1],
      [on, maxWaitMs + hourMs],
    ] as const;
    for (const [{ open, prompt }, resetsInMs] of cases) {
      const { sessionId, conversation } = await open();
      const answered = prompt(sessionId, "work");
      answered.catch(() => {});
      await conversation.hear("submit");
      conversation.end(limited(resetsInMs));
      await assert.rejects(answered, { code: -32603 });
    }
  });

  it("a machine that slept goes on as soon as its clock shows the reset", async () => {
    const asleep = { ms: 0 };
    let time: ScriptedHarness["time"] | undefined;
    const now = (): number => (time?.now() ?? 0) + asleep.ms;
    const made = await scriptedHarness({ settings: { continueAtReset: true }, now });
    time = made.time;
    const { sessionId, conversation } = await made.open();
    const answered = made.prompt(sessionId, "work");
    await conversation.hear("submit");
    conversation.end(limited(5 * hourMs));
    await settled();
    asleep.ms = 5 * hourMs;
    time.advance(60_000);
    await conversation.hear("submit");
    conversation.end();
    assert.deepEqual(await answered, { stopReason: "end_turn" });
  });

  it(`a prompt that a usage limit stops is continued at most ${maxResets} times, and the option can be changed in the session`, async () => {
    const { open, prompt, editor, time } = await harness(false);
    const { sessionId, conversation } = await open();
    const { configOptions } = await editor.call("session/set_config_option", {
      sessionId,
      configId: "continue_at_reset",
      value: "true",
    });
    assert.equal(configOptions.find(({ id }) => id === "continue_at_reset")?.currentValue, "true");
    const answered = prompt(sessionId, "work");
    answered.catch(() => {});
    for (let i = 0; i <= maxResets; i++) {
      await conversation.hear("submit");
      conversation.end(limited(time.now() + hourMs));
      await settled();
      time.advance(hourMs + resetMarginMs);
    }
    await assert.rejects(answered, { code: -32603 });
    assert.equal(conversation.prompts.length, maxResets + 1);
  });
});
