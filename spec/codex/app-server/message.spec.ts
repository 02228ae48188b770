/**
 * Specs of reading a line of the app-server.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { readMessage, requestLine, resultLine } from "../../../lib/codex/app-server/message.ts";

describe("the messages of the app-server", () => {
  it("requests, notifications, results and errors are recognised by their fields", () => {
    assert.deepEqual(readMessage('{"method":"a","id":0,"params":{"x":1}}'), {
      kind: "request",
      id: 0,
      method: "a",
      params: { x: 1 },
    });
    assert.deepEqual(readMessage('{"method":"a","params":[]}'), { kind: "notification", method: "a", params: {} });
    assert.deepEqual(readMessage('{"id":"x","result":null}'), { kind: "result", id: "x", result: null });
    assert.deepEqual(readMessage('{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"no"}}'), {
      kind: "error",
      id: 1,
      error: { code: -1, message: "no", data: undefined },
    });
  });

  it("an error of another shape is an error without a message", () => {
    for (const error of ['"text"', "5", "[]", '{"code":"x"}']) {
      const message = readMessage(`{"id":1,"error":${error}}`);
      assert.ok(message.kind === "error" && message.error.message === "" && message.error.code === -32603, error);
    }
  });

  it("a line that is no response, request or notification is unreadable", () => {
    for (const line of ["", "x", "null", "[]", "{}", '{"id":{}}', '{"id":true,"method":"a"}', '{"result":1}']) {
      assert.deepEqual(readMessage(line), { kind: "unreadable" }, line);
    }
  });

  it("a line has no version field, and a result is never missing", () => {
    assert.equal(requestLine(1, "a", { b: 2 }), '{"method":"a","id":1,"params":{"b":2}}');
    assert.equal(resultLine(0, undefined), '{"id":0,"result":{}}');
  });
});
