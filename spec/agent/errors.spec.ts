import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { turnFailure } from "../../lib/agent/errors.ts";

describe("turnFailure", () => {
  it("a limit failure names the time of the reset, and only a sign-in failure has code -32000", () => {
    const { code, message, data } = turnFailure("limit", "Usage limit reached", 1_800_000_000);
    assert.equal(code, -32603);
    assert.match(message, /^Usage limit reached\. It resets at .*2027/);
    assert.deepEqual(data, { errorKind: "limit", resetsAt: 1_800_000_000 });
    assert.equal(turnFailure("sign-in", "Invalid API key", undefined).code, -32000);
    assert.equal(turnFailure("api", "Overloaded!", undefined).message, "Overloaded!");
  });
});
