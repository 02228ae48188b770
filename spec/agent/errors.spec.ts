/**
 * Specs of `rpcErrorOf`: the errors of an engine as errors for the client.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { rpcErrorOf } from "../../lib/agent/errors.ts";
import { EngineFailure, type EngineFailureKind } from "../../lib/engine/index.ts";
import { RpcError } from "../../lib/rpc/index.ts";

function errorFor(kind: EngineFailureKind, message: string, resetsAt?: number): RpcError {
  const error = rpcErrorOf(new EngineFailure(kind, message, { resetsAt }));
  assert.ok(error instanceof RpcError);
  return error;
}

describe("rpcErrorOf", () => {
  it("a limit failure names the time of the reset, and only a sign-in failure has code -32000", () => {
    const { code, message, data } = errorFor("limit", "Usage limit reached", 1_800_000_000);
    assert.equal(code, -32603);
    assert.match(message, /^Usage limit reached\. It resets on Fri 15 Jan, \d\d:\d\d \S+\.$/);
    assert.deepEqual(data, { errorKind: "limit", resetsAt: 1_800_000_000 });
    assert.equal(errorFor("not_signed_in", "Invalid API key").code, -32000);
    assert.equal(errorFor("api", "Overloaded!").message, "Overloaded!");
  });

  it("the error of a usage limit names the time of the reset once, in the engine's sentence", () => {
    for (const said of ["You've hit your session limit · resets 3pm (UTC)", "A limit is reached: try again at 9:30 PM"])
      assert.equal(errorFor("limit", said, 1_800_000_000).message, `${said}.`);
  });

  it("a cause that is no failure of an engine stays as it is", () => {
    const cause = new Error("a bug");
    assert.equal(rpcErrorOf(cause), cause);
  });
});
