/**
 * Specs of `_session/steering`: its four outcomes, and what `initialize` says of it.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { initializeResponse } from "../../lib/acp/index.ts";
import { agentProfile, servesAll } from "../../lib/agent/agent-profile.ts";
import { EngineFailure } from "../../lib/engine/index.ts";
import { messageText } from "../support/agent/connected-agent.ts";
import { promptTexts, scriptedHarness } from "../support/agent/scripted-harness.ts";

const clientOwned = { _meta: { steering: { idleBehavior: "promptRequired" } } };

async function steerable() {
  const harness = await scriptedHarness();
  const { sessionId, conversation } = await harness.open();
  const steer = (text: string, more: object = {}) =>
    harness.editor.callExtension("_session/steering", { sessionId, prompt: [{ type: "text", text }], ...more });
  return { ...harness, sessionId, conversation, steer };
}

describe("_session/steering", () => {
  it("the response to initialize says at its top level that steering is supported", () => {
    const profile = agentProfile("claude", { command: "node", args: [] });
    const response = initializeResponse(profile, servesAll, { protocolVersion: 1 });
    assert.deepEqual(response._meta?.["steering"], { supported: true });
  });

  it("a prompt is injected into the running turn", async () => {
    const { conversation, sessionId, steer, prompt } = await steerable();
    const answered = prompt(sessionId, "1");
    await conversation.hear("submit");
    assert.deepEqual(await steer("2", clientOwned), { outcome: "injected" });
    assert.deepEqual(promptTexts(conversation.prompts), ["1", "2"]);
    conversation.end();
    assert.equal((await answered).stopReason, "end_turn");
  });

  it("a prompt is injected into a turn that is not submitted yet, and submitted with it", async () => {
    const { conversation, sessionId, steer, prompt, engine } = await steerable();
    let isReady = (): void => {};
    engine.onCall = (_, call) => (call === "ready" ? new Promise((resolve) => (isReady = resolve)) : undefined);
    const answered = prompt(sessionId, "1");
    await conversation.hear("ready");
    assert.deepEqual(await steer("2"), { outcome: "injected" });
    isReady();
    await conversation.hear("submit");
    assert.deepEqual(promptTexts(conversation.prompts), ["1", "2"]);
    conversation.end();
    await answered;
  });

  it("without a running turn a prompt starts a turn, and a client that asks for it keeps the prompt", async () => {
    const { conversation, steer, updates } = await steerable();
    assert.deepEqual(await steer("1", clientOwned), { outcome: "promptRequired", reason: "noRunningTurn" });
    assert.deepEqual(conversation.prompts, []);
    assert.deepEqual(await steer("2"), { outcome: "startedNewTurn" });
    await conversation.hear("submit");
    assert.deepEqual(promptTexts(conversation.prompts), ["2"]);
    const failure = new EngineFailure("api", "the API is away");
    conversation.end({ kind: "failed", failure });
    await new Promise(setImmediate);
    assert.equal(messageText(updates), "\nThe message could not be answered: the API is away.\n\n");
  });

  it("the outcome is failed, with a reason, when the engine does not take the prompt", async () => {
    const { conversation, sessionId, steer, prompt } = await steerable();
    const answered = prompt(sessionId, "1");
    await conversation.hear("submit");
    conversation.steer = () => false;
    assert.deepEqual(await steer("2"), { outcome: "failed", reason: "the running turn takes no prompt" });
    conversation.steer = () => {
      throw new EngineFailure("other", "not now");
    };
    assert.deepEqual(await steer("2"), { outcome: "failed", reason: "not now." });
    conversation.end();
    await answered;
  });

  it("an unknown session, an empty prompt and another idle behaviour are refused", async () => {
    const { steer, editor, sessionId } = await steerable();
    await assert.rejects(editor.callExtension("_session/steering", { sessionId: "x", prompt: [] }), { code: -32002 });
    await assert.rejects(editor.callExtension("_session/steering", { sessionId, prompt: [] }), { code: -32602 });
    await assert.rejects(editor.callExtension("_session/steering", { sessionId }), { code: -32602 });
    await assert.rejects(steer("1", { _meta: { steering: { idleBehavior: "wait" } } }), { code: -32602 });
  });
});
