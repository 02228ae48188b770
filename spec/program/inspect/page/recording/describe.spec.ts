/**
 * The inspector's description of a message: its name, a short text and its stream.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { describing } from "../../../../support/program/inspector-modules.ts";

type Case = readonly [msg: object, name: string, say: string, family?: string];

function says(side: "acp" | "claude", cases: readonly Case[], asked?: string): void {
  for (const [msg, name, say, family] of cases) {
    const expected = { name, say, ...(family !== undefined && { family }) };
    assert.deepEqual(describing.describe(side, msg, asked), expected, JSON.stringify(msg));
  }
}

const update = (fields: object): object => ({ method: "session/update", params: { sessionId: "s", update: fields } });
const event = (fields: object): object => ({ type: "stream_event", event: fields });

describe("describe, the editor's side", () => {
  it("an update is described by its content, and a chunk of a stream by its whole text", () => {
    const long = `${"word ".repeat(100)}\n`;
    says("acp", [
      [update({ sessionUpdate: "agent_message_chunk", content: { text: long } }), "agent_message_chunk", long, "text"],
      [update({ sessionUpdate: "agent_thought_chunk", content: { text: "m" } }), "agent_thought_chunk", "m", "thought"],
      [update({ sessionUpdate: "agent_message_chunk", content: { text: 5 } }), "agent_message_chunk", "5"],
      [update({ sessionUpdate: "tool_call", title: "Read a", status: "pending" }), "tool_call", "Read a · pending"],
      [update({ sessionUpdate: "tool_call_update", status: "completed" }), "tool_call_update", "completed"],
      [update({ sessionUpdate: "plan", entries: [{ content: "one" }, { content: "two" }] }), "plan", "one, two"],
      [update({}), "session/update", ""],
    ]);
  });

  it("a request is described by its most telling parameter", () => {
    const call = (method: string, params: object): object => ({ id: 1, method, params });
    says("acp", [
      [
        call("session/prompt", { sessionId: "s", prompt: [{ text: "a" }, { uri: "file:b" }] }),
        "session/prompt",
        "a file:b",
      ],
      [call("session/request_permission", { toolCall: { title: "may I" } }), "session/request_permission", "may I"],
      [call("fs/read_text_file", { sessionId: "s", path: "/a" }), "fs/read_text_file", "/a"],
      [call("terminal/create", { sessionId: "s", command: "ls", cwd: "/a" }), "terminal/create", "ls"],
      [call("session/new", { cwd: "/a" }), "session/new", "/a"],
      [call("session/set_mode", { sessionId: "s", modeId: "plan" }), "session/set_mode", "plan"],
      [call("session/set_config_option", { configId: "model", value: "o" }), "session/set_config_option", "model = o"],
      [call("initialize", { clientInfo: { name: "zed" } }), "initialize", "zed"],
      [call("initialize", { clientInfo: { name: "zed", title: "Zed" } }), "initialize", "Zed"],
      [{ method: "session/cancel", params: { sessionId: "s" } }, "session/cancel", "s"],
      [{ id: 1, method: "authenticate" }, "authenticate", ""],
    ]);
  });

  it("a response has the name of its request, and its result as text", () => {
    const cases: readonly Case[] = [
      [{ result: { stopReason: "end_turn" } }, "asked", "end_turn"],
      [{ result: { outcome: { outcome: "selected", optionId: "allow" } } }, "asked", "allow"],
      [{ result: { outcome: { outcome: "cancelled" } } }, "asked", "cancelled"],
      [{ result: { terminalId: "t" } }, "asked", "t"],
      [{ result: { content: "text" } }, "asked", "text"],
      [{ result: { sessionId: "s", modes: {} } }, "asked", "s"],
      [{ result: { agentInfo: { name: "bowline", version: "1" } } }, "asked", "bowline 1"],
      [{ result: {} }, "asked", "{}"],
      [{ result: null }, "asked", "null"],
      [{ error: { code: -1, message: "no" } }, "asked", "no"],
      [{ error: "no" }, "asked", "no"],
    ];
    says("acp", cases, "asked");
    assert.equal(describing.describe("acp", { result: {} }).name, "answer");
  });
});

describe("describe, the CLI's side", () => {
  it("a stream event of the CLI is described by the whole text of its chunk", () => {
    says("claude", [
      [event({ type: "content_block_delta", delta: { type: "text_delta", text: "a " } }), "text_delta", "a ", "text"],
      [event({ delta: { type: "thinking_delta", thinking: "b" } }), "thinking_delta", "b", "thought"],
      [event({ delta: { type: "input_json_delta", partial_json: "{" } }), "input_json_delta", "{", "input"],
      [
        event({ type: "content_block_start", content_block: { type: "tool_use", name: "Read" } }),
        "content_block_start",
        "Read",
      ],
      [event({ type: "content_block_start", content_block: { type: "text" } }), "content_block_start", "text"],
      [event({ type: "message_delta", delta: { stop_reason: "end_turn" } }), "message_delta", ""],
    ]);
  });

  it("a message of the CLI is described by its content", () => {
    says("claude", [
      [{ type: "user", message: { content: "hello" } }, "user", "hello"],
      [
        { type: "assistant", message: { content: [{ type: "text", text: "a" }, { name: "Read" }] } },
        "assistant",
        "a Read",
      ],
      [{ type: "user", message: { content: [{ type: "tool_result" }] } }, "user", "tool_result"],
      [{ type: "result", subtype: "success", result: "done" }, "result", "success · done"],
      [{ type: "system", subtype: "init", model: "opus" }, "system/init", "opus"],
      [{ type: "system", subtype: "status", status: "compacting" }, "system/status", "compacting"],
      [{ type: "keep_alive" }, "keep_alive", ""],
    ]);
  });

  it("control requests and responses of the CLI are described by their subject", () => {
    says("claude", [
      [{ type: "control_request", request: { subtype: "can_use_tool", tool_name: "Bash" } }, "can_use_tool", "Bash"],
      [{ type: "control_request", request: { subtype: "interrupt" } }, "interrupt", ""],
    ]);
    const answers: readonly Case[] = [
      [
        { type: "control_response", response: { subtype: "success", response: { behavior: "allow" } } },
        "asked",
        "allow",
      ],
      [{ type: "control_response", response: { subtype: "error", error: "no" } }, "asked", "no"],
      [{ type: "control_response", response: { subtype: "success" } }, "asked", "success"],
    ];
    says("claude", answers, "asked");
    assert.equal(describing.describe("claude", { type: "control_response" }).name, "control_response");
  });
});

describe("describe, invalid messages", () => {
  it("a value that should be a list and is none is described as an empty list", () => {
    says("acp", [
      [update({ sessionUpdate: "plan", entries: { 0: "a" } }), "plan", ""],
      [update({ sessionUpdate: "plan", entries: [null, 5] }), "plan", ", "],
      [{ id: 1, method: "session/prompt", params: { prompt: "a" } }, "session/prompt", ""],
    ]);
  });

  it("names that every object inherits are no fields", () => {
    says("acp", [[update({ sessionUpdate: "constructor", title: "a" }), "constructor", "a"]]);
    says("claude", [[event({ type: "a", delta: { type: "toString", text: "b" } }), "a", "b"]]);
  });

  it("a value that should be a string is described as JSON", () => {
    const odd = { toString: 1 };
    says("acp", [
      [{ method: odd }, '{"toString":1}', ""],
      [update({ sessionUpdate: odd, title: odd, status: odd }), '{"toString":1}', '{"toString":1} · {"toString":1}'],
    ]);
    says("claude", [
      [{ type: odd, subtype: odd }, '{"toString":1}/{"toString":1}', ""],
      [event({ type: null, delta: null }), "null", ""],
      [{}, "undefined", ""],
    ]);
  });
});
