/**
 * `/usage` and `_session/usage` on the scripted engine: what the user reads of the engine's
 * report. spec/claude/engine/usage-report.spec.ts makes the report of the Claude CLI's answer.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { usageText } from "../../../lib/agent/usage/usage-command.ts";
import { EngineFailure, type UsageReport } from "../../../lib/engine/index.ts";
import { messageText } from "../../support/agent/connected-agent.ts";
import { scriptedHarness } from "../../support/agent/scripted-harness.ts";

const report: UsageReport = {
  plan: "max",
  limits: [
    { id: "five_hour", name: "5-hour limit", usedPercent: 76, resetsAt: "2026-11-17T14:00:00Z" },
    { id: "seven_day", name: "weekly limit", usedPercent: 41 },
    { id: "model", name: "weekly limit for Fable", usedPercent: 3, resetsAt: "2026-11-20T09:00:00Z" },
  ],
  cost: { amount: 0.0123, currency: "USD" },
  models: [{ model: "opus", inputTokens: 1200, outputTokens: 300, cachedReadTokens: 50_000, cachedWriteTokens: 10 }],
};

describe("/usage", () => {
  it("/usage shows limits with their resets, cost and tokens", async () => {
    const now = (): number => Date.parse("2026-11-17T11:55:00Z");
    const { open, prompt, updates } = await scriptedHarness({ now });
    const { sessionId, conversation } = await open();
    conversation.controls = { usage: async () => report };
    assert.deepEqual(await prompt(sessionId, "/usage"), { stopReason: "end_turn" });
    const text = messageText(updates);
    assert.match(text, /\*\*Limits of the plan \(max\)\*\*/);
    assert.match(text, /- 5-hour limit: 76% used, resets at \d\d:\d\d \(in 2 h 5 min\)\n- weekly limit: 41% used\n/);
    assert.match(text, /- weekly limit for Fable: 3% used, resets at Fri 20 Nov, \d\d:\d\d \(in 2 days 21 h\)/);
    assert.match(text, /- Cost: \$0\.0123/);
    assert.match(text, /- opus: 1,200 tokens in, 300 out, 50,000 read from the cache, 10 written to it/);
    assert.deepEqual(conversation.prompts, []);
  });

  it("an account without limits reads why there are none", () => {
    const text = usageText({ limits: [], models: [] }, 0);
    assert.match(text, /None are known\. Accounts that pay by use/);
    assert.match(text, /Nothing was used yet/);
  });

  it("an engine that refuses fails the prompt with its reason, and the next prompt works", async () => {
    const { open, prompt } = await scriptedHarness();
    const { sessionId, conversation } = await open();
    conversation.controls = { usage: () => Promise.reject(new EngineFailure("refused", "no such request")) };
    await assert.rejects(prompt(sessionId, "/usage"), { message: /no such request/ });
    const answered = prompt(sessionId, "work");
    await conversation.hear("submit");
    conversation.end();
    assert.deepEqual(await answered, { stopReason: "end_turn" });
  });

  it("/usage is not offered, and goes to the engine, where the engine cannot be asked", async () => {
    const { open, prompt, updates } = await scriptedHarness();
    const { sessionId, conversation } = await open();
    conversation.emit({ type: "commands_changed", commands: [] });
    const answered = prompt(sessionId, "/usage");
    await conversation.hear("submit");
    conversation.end();
    await answered;
    const offered = updates.flatMap((one) =>
      one.sessionUpdate === "available_commands_update" ? one.availableCommands.map(({ name }) => name) : [],
    );
    assert.ok(!offered.includes("usage") && offered.includes("version"));
  });
});

describe("_session/usage", () => {
  it("_session/usage answers with the engine's report", async () => {
    const { open, editor } = await scriptedHarness();
    const { sessionId, conversation } = await open();
    conversation.controls = { usage: async () => report };
    assert.deepEqual(await editor.callExtension("_session/usage", { sessionId }), report);
  });

  it("an engine without the means, wrong params and an unknown session are errors", async () => {
    const { open, editor } = await scriptedHarness();
    const { sessionId } = await open();
    const call = (params: object): Promise<unknown> => editor.callExtension("_session/usage", params);
    await assert.rejects(call({ sessionId }), { code: -32601 });
    await assert.rejects(call({}), { code: -32602 });
    await assert.rejects(call({ sessionId: "none" }), { code: -32002 });
  });
});
