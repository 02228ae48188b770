/**
 * What the inspector's page says of a message: its name, some words, and the stream it
 * is a piece of.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { describing } from "../../../support/program/inspector-modules.ts";

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
  it("says what an update says, and whole what is a piece of a stream", () => {
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

  it("says what a request is about", () => {
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

  it("calls an answer as its question, and says how it was answered", () => {
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
  it("says whole what is a piece of a stream", () => {
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

  it("says what a message says", () => {
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

  it("says what is asked and answered out of turn", () => {
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

describe("describe, what nobody should say", () => {
  it("takes a list that is none for an empty one", () => {
    says("acp", [
      [update({ sessionUpdate: "plan", entries: { 0: "a" } }), "plan", ""],
      [update({ sessionUpdate: "plan", entries: [null, 5] }), "plan", ", "],
      [{ id: 1, method: "session/prompt", params: { prompt: "a" } }, "session/prompt", ""],
    ]);
  });

  it("is not led astray by what every object has", () => {
    says("acp", [[update({ sessionUpdate: "constructor", title: "a" }), "constructor", "a"]]);
    says("claude", [[event({ type: "a", delta: { type: "toString", text: "b" } }), "a", "b"]]);
  });

  it("says as JSON what should be a word", () => {
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
