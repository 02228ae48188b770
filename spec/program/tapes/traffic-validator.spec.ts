/**
 * The traffic validator: every message against its schema, in both directions.
 */
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { describe, it } from "node:test";
import { type Direction, TrafficValidator } from "../../../lib/program/tapes/traffic-validator.ts";
import { readText } from "../../support/files.ts";
import { hostileValues } from "../../support/hostile-values.ts";

type Fields = Readonly<Record<string, unknown>>;

function seen(...lines: readonly (readonly [Direction, Fields | string])[]): readonly string[] {
  const check = new TrafficValidator();
  return lines.flatMap(([dir, line]) => {
    const text = typeof line === "string" ? line : JSON.stringify({ jsonrpc: "2.0", ...line });
    return check.see(dir, text) ?? [];
  });
}

const prompt = { method: "session/prompt", params: { sessionId: "s", prompt: [{ type: "text", text: "hi" }] } };

describe("TrafficValidator", () => {
  it("the validator finds no problem in the reviewed traffic of our agent", () => {
    const files = readdirSync("fixtures/acp");
    assert.ok(files.length > 60);
    for (const file of files) {
      const check = new TrafficValidator();
      for (const line of readText(`fixtures/acp/${file}`).trimEnd().split("\n")) {
        const { dir, msg } = JSON.parse(line);
        // In these fixtures the lists of each session are reduced to their keys.
        if (/"(?:agentCapabilities|configOptions|availableModes|availableCommands)"/.test(line)) continue;
        const problem = check.see(dir, JSON.stringify(msg));
        if (problem !== "an answer to no open request")
          assert.equal(problem, undefined, `${file}: ${line.slice(0, 200)}`);
      }
    }
  });

  it("a problem names the place and the expectation, never the value", () => {
    const update = { sessionUpdate: "agent_message_chunk", content: { type: "text", text: 5_555_555 } };
    assert.deepEqual(seen(["out", { method: "session/update", params: { sessionId: "s", update } }]), [
      "session/update: update.content.text must be string",
    ]);
    assert.deepEqual(seen(["in", { id: 1, method: "initialize", params: { protocolVersion: "secret" } }]), [
      "initialize: protocolVersion must be an integer",
    ]);
  });

  it("a response is validated by the schema of its request, in both directions", () => {
    assert.deepEqual(
      seen(
        ["in", { id: 1, ...prompt }],
        ["out", { id: 1, result: { stopReason: "tired" } }],
        ["out", { id: 1, result: {} }],
      ),
      [
        "session/prompt answer: stopReason must be one of end_turn, max_tokens, max_turn_requests, refusal, cancelled",
        "an answer to no open request",
      ],
    );
    const read = { method: "fs/read_text_file", params: { sessionId: "s", path: "/a" } };
    assert.deepEqual(seen(["out", { id: "a", ...read }], ["in", { id: "a", result: { content: null } }]), [
      "fs/read_text_file answer: content must be string",
    ]);
    assert.deepEqual(seen(["in", { id: 1, ...prompt }], ["in", { id: 1, result: {} }]), [
      "an answer to no open request",
    ]);
    assert.deepEqual(seen(["in", { id: 1, ...prompt }], ["out", { id: "1", result: {} }]), [
      "an answer to no open request",
    ]);
  });

  it("a valid error response is accepted, an invalid one is a problem", () => {
    const error = { code: -32603, message: "no" };
    assert.deepEqual(seen(["in", { id: 1, ...prompt }], ["out", { id: 1, error }]), []);
    assert.deepEqual(seen(["out", { id: null, error }]), []);
    assert.deepEqual(seen(["in", { id: 1, ...prompt }], ["out", { id: 1, error: { code: "x" } }]), [
      '"session/prompt": error must be an object with a code and a message',
    ]);
    assert.deepEqual(seen(["in", { id: 1, ...prompt }], ["out", { id: 1, error, result: {} }]), [
      '"session/prompt": an answer has a result or an error, not both',
    ]);
  });

  it("a request sent as a notification, or a method of the wrong side, is a problem", () => {
    assert.deepEqual(seen(["in", prompt]), ["session/prompt: must be a request, with an id"]);
    assert.deepEqual(seen(["in", { id: 1, method: "session/cancel", params: { sessionId: "s" } }]), [
      "session/cancel: must be a notification, without an id",
    ]);
    assert.deepEqual(seen(["out", { id: 1, ...prompt }]), [
      '"session/prompt": not a method of the protocol for this side',
    ]);
    assert.deepEqual(seen(["out", { id: 1, method: "_own/thing" }], ["in", { method: "$/cancel_request" }]), []);
    assert.deepEqual(seen(["in", { id: 1, method: "__proto__" }], ["in", { id: 2, method: "constructor" }]), [
      '"constructor": not a method of the protocol for this side',
    ]);
  });

  it("the validator throws for no line", () => {
    assert.deepEqual(seen(["in", "no json"], ["in", "[]"], ["out", "null"], ["out", "{}"]), [
      "not valid JSON",
      "batches are not supported",
      "a message must be an object",
      'jsonrpc must be "2.0"',
    ]);
    const check = new TrafficValidator();
    for (const value of hostileValues.values()) {
      if (typeof value === "bigint") continue;
      let params: string | undefined;
      try {
        params = JSON.stringify(value);
      } catch {
        continue;
      }
      const problem = check.see(
        "in",
        `{"jsonrpc":"2.0","id":1,"method":"session/prompt","params":${params ?? "null"}}`,
      );
      assert.match(problem ?? "", /^session\/prompt: /);
    }
  });

  it("the validator drops the oldest of too many open requests", () => {
    const check = new TrafficValidator();
    const ask = (id: number): string => JSON.stringify({ jsonrpc: "2.0", id, ...prompt });
    for (let id = 0; id <= 10_000; id++) assert.equal(check.see("in", ask(id)), undefined);
    const answer = (id: number): string => JSON.stringify({ jsonrpc: "2.0", id, result: { stopReason: "end_turn" } });
    assert.equal(check.see("out", answer(0)), "an answer to no open request");
    assert.equal(check.see("out", answer(1)), undefined);
  });
});
