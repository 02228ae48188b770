/**
 * Specs of the usage of a turn: tokens of its results, cost as the difference of totals.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { UsageMeter } from "../../../lib/claude/engine/usage-meter.ts";

const tokens = { input_tokens: 10, output_tokens: 5, cache_read_input_tokens: 100, cache_creation_input_tokens: 20 };
const result = (total_cost_usd: number, usage: object = tokens) => ({ type: "result", total_cost_usd, usage }) as const;

describe("the usage of a turn", () => {
  it("a turn has the tokens of all its results and what the total has grown by", () => {
    const meter = new UsageMeter(true);
    meter.onResult(result(0.1));
    meter.onResult(result(0.3));
    assert.deepEqual(meter.take(), {
      tokens: {
        totalTokens: 270,
        inputTokens: 20,
        outputTokens: 10,
        thoughtTokens: undefined,
        cachedReadTokens: 200,
        cachedWriteTokens: 40,
      },
      cost: { amount: 0.3, currency: "USD" },
    });
    meter.onResult(result(0.35));
    assert.deepEqual(meter.take()?.cost, { amount: 0.05, currency: "USD" });
  });

  it("the first turn of a resumed conversation has no cost, because the total before it is not known", () => {
    const meter = new UsageMeter(false);
    meter.onResult(result(5));
    assert.equal(meter.take()?.cost, undefined);
    meter.onResult(result(5.5));
    assert.deepEqual(meter.take()?.cost, { amount: 0.5, currency: "USD" });
  });

  it("a total that has become smaller gives no cost, and a turn without counts no usage", () => {
    const meter = new UsageMeter(true);
    meter.onResult(result(1));
    meter.take();
    meter.onResult(result(0.2));
    assert.equal(meter.take()?.cost, undefined);
    meter.onResult(result(0.2, { input_tokens: 1.5, output_tokens: 1 }));
    assert.equal(meter.take(), undefined);
  });
});
