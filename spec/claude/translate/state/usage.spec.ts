/**
 * Usage: how full the context is and what was spent, told when it changes.
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

function told(updates: readonly SessionUpdate[]): readonly string[] {
  return updates.flatMap((one) =>
    one.sessionUpdate === "usage_update" ? [`${one.used}/${one.size} ${one.cost?.amount}`] : [],
  );
}

describe("usage", () => {
  it("is not told before the size of the context is known", () => {
    assert.deepEqual(told(new TranslatorHarness().take(begun(100), written(20))), []);
  });

  it("counts what was read, from the cache too, and what was written", () => {
    assert.deepEqual(told(new TranslatorHarness().take(begun(100), written(20), ended())), ["170/200000 0.012346"]);
  });

  it("is told after each answer once the size is known, and not twice the same", () => {
    const translator = new TranslatorHarness();
    translator.take(begun(100), written(20), ended());
    assert.deepEqual(told(translator.take(begun(200), written(20))), ["270/200000 0.012346"]);
    assert.deepEqual(told(translator.take(ended())), []);
  });

  it("takes the largest window when the model is not named", () => {
    assert.deepEqual(told(new TranslatorHarness().take(ended())), ["0/900000 0.012346"]);
  });

  it("is zero again in a cleared conversation, and what is left after a compaction", () => {
    const translator = new TranslatorHarness();
    translator.take(begun(100), written(20), ended());
    const boundary = {
      type: "system",
      subtype: "compact_boundary",
      compact_metadata: { pre_tokens: 170, post_tokens: 40 },
    };
    assert.deepEqual(told(translator.take(boundary)), ["40/200000 0.012346"]);
    assert.deepEqual(told(translator.take({ type: "conversation_reset" })), ["0/200000 0.012346"]);
  });

  it("is not told when the numbers cannot be true", () => {
    for (const contextWindow of [-1, 1.5, 1e300]) {
      assert.deepEqual(told(new TranslatorHarness().take(ended({ modelUsage: { opus: { contextWindow } } }))), []);
    }
    const translator = new TranslatorHarness();
    translator.take(ended());
    assert.deepEqual(told(translator.take(begun(-500))), []);
  });
});
