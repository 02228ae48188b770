/**
 * The Claude CLI's answer to `get_usage`, as `/usage` and `_session/usage` report it.
 * spec/agent/usage has the same for any engine.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { agentHarness } from "../../support/claude/agent-harness.ts";
import { messageText } from "../../support/agent/connected-agent.ts";

const answer = {
  session: {
    total_cost_usd: 0.0123,
    model_usage: {
      "claude-opus-5-5": {
        inputTokens: 1200,
        outputTokens: 300,
        cacheReadInputTokens: 50_000,
        cacheCreationInputTokens: 10,
        costUSD: 0.0123,
      },
    },
  },
  subscription_type: "max",
  rate_limits_available: true,
  rate_limits: {
    five_hour: { utilization: 76.4, resets_at: "2026-11-17T14:00:00.123+00:00" },
    seven_day: { utilization: 41, resets_at: null },
    seven_day_opus: null,
    seven_day_sonnet: { utilization: null, resets_at: null },
    model_scoped: [{ display_name: "Fable", utilization: 3, resets_at: "2026-11-20T09:00:00Z" }],
  },
};

const limits = [
  { id: "five_hour", name: "5-hour limit", usedPercent: 76, resetsAt: "2026-11-17T14:00:00Z" },
  { id: "seven_day", name: "weekly limit", usedPercent: 41 },
  { id: "seven_day_model:Fable", name: "weekly limit for Fable", usedPercent: 3, resetsAt: "2026-11-20T09:00:00Z" },
];

describe("/usage", () => {
  it("/usage asks the CLI, and shows limits with their resets, cost and tokens", async () => {
    const now = (): number => Date.parse("2026-11-17T11:55:00Z");
    const { open, prompt, updates } = await agentHarness({ now });
    const { sessionId, fakeCli } = await open();
    const answered = prompt(sessionId, "/usage");
    const request = await fakeCli.hear("get_usage");
    assert.equal(request["request"].skip_behaviors, true);
    fakeCli.answer(request, answer);
    assert.deepEqual(await answered, { stopReason: "end_turn" });
    const text = messageText(updates);
    assert.match(text, /\*\*Limits of the plan \(max\)\*\*/);
    assert.match(text, /- 5-hour limit: 76% used, resets at \d\d:\d\d \(in 2 h 5 min\)\n- weekly limit: 41% used\n/);
    assert.match(text, /- weekly limit for Fable: 3% used, resets at Fri 20 Nov, \d\d:\d\d \(in 2 days 21 h\)/);
    assert.match(text, /- Cost: \$0\.0123/);
    assert.match(text, /- claude-opus-5-5: 1,200 tokens in, 300 out, 50,000 read from the cache, 10 written to it/);
  });

  it("a CLI that refuses fails the prompt with its reason, and the next prompt works", async () => {
    const { open, prompt } = await agentHarness();
    const { sessionId, fakeCli } = await open();
    const answered = prompt(sessionId, "/usage");
    answered.catch(() => {});
    const { request_id } = await fakeCli.hear("get_usage");
    fakeCli.say({ type: "control_response", response: { subtype: "error", request_id, error: "no such request" } });
    await assert.rejects(answered, { code: -32603, message: /refused get_usage: no such request/ });
  });
});

describe("_session/usage", () => {
  it("_session/usage answers with the report, and usage_update has the new limits", async () => {
    const { open, editor, updates } = await agentHarness();
    const { sessionId, fakeCli } = await open();
    await new Promise(setImmediate);
    fakeCli.say({ type: "result", subtype: "success", modelUsage: { opus: { contextWindow: 1000 } } });
    const asked = editor.callExtension("_session/usage", { sessionId });
    fakeCli.answer(await fakeCli.hear("get_usage"), answer);
    assert.deepEqual(await asked, {
      plan: "max",
      limits,
      cost: { amount: 0.0123, currency: "USD" },
      models: [
        {
          model: "claude-opus-5-5",
          inputTokens: 1200,
          outputTokens: 300,
          cachedReadTokens: 50_000,
          cachedWriteTokens: 10,
          cost: { amount: 0.0123, currency: "USD" },
        },
      ],
    });
    const last = updates.findLast((one) => one.sessionUpdate === "usage_update");
    assert.deepEqual(last?._meta, { limits });
  });
});
