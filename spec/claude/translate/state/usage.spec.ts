/**
 * Context usage and cost are emitted when they change.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { SessionUpdate } from "../../../../lib/acp/index.ts";
import { result, TranslatorHarness, stream } from "../../../support/translate/cli-events.ts";

const begun = (input: number): object =>
  stream({
    type: "message_start",
    message: { id: "m", model: "opus", usage: { input_tokens: input, cache_read_input_tokens: 50 } },
  });
const written = (output: number): object =>
  stream({ type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: output } });
const ended = (more: object = {}): object =>
  result({
    total_cost_usd: 0.0123456789,
    modelUsage: { opus: { contextWindow: 200_000 }, haiku: { contextWindow: 900_000 } },
    ...more,
  });

function usageOf(updates: readonly SessionUpdate[]): readonly string[] {
  return updates.flatMap((one) =>
    one.sessionUpdate === "usage_update" ? [`${one.used}/${one.size} ${one.cost?.amount}`] : [],
  );
}

describe("usage", () => {
  it("usage is not emitted before the size of the context window is known", () => {
    assert.deepEqual(usageOf(new TranslatorHarness().take(begun(100), written(20))), []);
  });

  it("usage counts input tokens, cached tokens and output tokens", () => {
    assert.deepEqual(usageOf(new TranslatorHarness().take(begun(100), written(20), ended())), ["170/200000 0.012346"]);
  });

  it("usage is emitted after each answer once the size is known, and never twice the same", () => {
    const translator = new TranslatorHarness();
    translator.take(begun(100), written(20), ended());
    assert.deepEqual(usageOf(translator.take(begun(200), written(20))), ["270/200000 0.012346"]);
    assert.deepEqual(usageOf(translator.take(ended())), []);
  });

  it("usage takes the largest context window when the model is not named", () => {
    assert.deepEqual(usageOf(new TranslatorHarness().take(ended())), ["0/900000 0.012346"]);
  });

  it("usage is zero after a clear and the remaining tokens after a compaction", () => {
    const translator = new TranslatorHarness();
    translator.take(begun(100), written(20), ended());
    const boundary = {
      type: "system",
      subtype: "compact_boundary",
      compact_metadata: { pre_tokens: 170, post_tokens: 40 },
    };
    assert.deepEqual(usageOf(translator.take(boundary)), ["40/200000 0.012346"]);
    assert.deepEqual(usageOf(translator.take({ type: "conversation_reset" })), ["0/200000 0.012346"]);
  });

  it("usage is not emitted for impossible numbers", () => {
    for (const contextWindow of [-1, 1.5, 1e300]) {
      assert.deepEqual(usageOf(new TranslatorHarness().take(ended({ modelUsage: { opus: { contextWindow } } }))), []);
    }
    const translator = new TranslatorHarness();
    translator.take(ended());
    assert.deepEqual(usageOf(translator.take(begun(-500))), []);
  });
});
