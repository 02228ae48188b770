/**
 * Specs of the errors of calls: how they are sent, and how a malformed error is read.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { CallFailed, ConnectionClosed, errorCodes, RpcError } from "../../lib/rpc/index.ts";

describe("RpcError", () => {
  it("an RpcError keeps code, message, data and cause", () => {
    const cause = new Error("why");
    const error = new RpcError(-32002, "resource not found", { uri: "file:///a" }, { cause });
    assert.deepEqual(error.toObject(), { code: -32002, message: "resource not found", data: { uri: "file:///a" } });
    assert.equal(error.cause, cause);
    assert.equal(error.name, "RpcError");
  });

  it("an RpcError has no data key on the wire unless there is data, and null is data", () => {
    assert.deepEqual(Object.keys(new RpcError(1, "m").toObject()), ["code", "message"]);
    assert.deepEqual(new RpcError(1, "m", null).toObject(), { code: 1, message: "m", data: null });
  });
});

describe("CallFailed", () => {
  it("a CallFailed is an RpcError, so a caller may catch either", () => {
    assert.ok(CallFailed.from({ code: 1, message: "m" }) instanceof RpcError);
    assert.equal(new RpcError(1, "m") instanceof CallFailed, false);
  });

  it("a CallFailed is read back from an encoded RpcError", () => {
    fc.assert(
      fc.property(fc.integer(), fc.string(), fc.jsonValue(), (code, message, data) => {
        const {
          code: readCode,
          message: readText,
          data: readData,
        } = CallFailed.from(new RpcError(code, message, data).toObject());
        assert.deepEqual({ readCode, readText, readData }, { readCode: code, readText: message, readData: data });
      }),
    );
  });

  const bad: readonly unknown[] = [null, undefined, "boom", 7, true, [], {}, { code: "1" }, { code: 1.5, message: 2 }];
  for (const error of bad) {
    it(`a CallFailed becomes an internal error for ${JSON.stringify(error)}`, () => {
      const read = CallFailed.from(error);
      assert.equal(read.code, errorCodes.internalError);
      assert.equal(read.message, "the peer failed without saying why");
    });
  }
});

describe("errorCodes", () => {
  it("errorCodes are those of JSON-RPC 2.0 and ACP", () => {
    assert.deepEqual(errorCodes, {
      parseError: -32700,
      invalidRequest: -32600,
      methodNotFound: -32601,
      invalidParams: -32602,
      internalError: -32603,
      requestCancelled: -32800,
      authRequired: -32000,
      unsupportedVersion: -32001,
      resourceNotFound: -32002,
    });
  });
});

describe("ConnectionClosed", () => {
  it("a ConnectionClosed carries its reason", () => {
    const closed = new ConnectionClosed("the pipe broke");
    assert.equal(closed.reason, "the pipe broke");
    assert.equal(closed.message, "connection closed: the pipe broke");
    assert.equal(closed.name, "ConnectionClosed");
  });
});
