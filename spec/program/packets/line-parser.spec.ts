/**
 * Conversation lines in every accepted format, and the separation of sessions.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { BadLine, type SessionPacket } from "../../../lib/program/packets/packet-line.ts";
import { LineParser } from "../../../lib/program/packets/line-parser.ts";
import { hostileValues } from "../../support/hostile-values.ts";

function lines(cwd?: string): (value: unknown) => readonly SessionPacket[] {
  const reader = new LineParser({ now: () => 0, isStrict: false, cwd });
  return (value) => {
    const told = reader.line(typeof value === "string" ? value : JSON.stringify(value));
    assert.ok(!(told instanceof BadLine), told instanceof BadLine ? told.why : "");
    return told;
  };
}

/** Builders of short ACP messages. */
function short(packets: readonly SessionPacket[]): readonly string[] {
  return packets.map(({ sessionId, packet }) => {
    const words =
      "content" in packet && packet.content !== null && "text" in packet.content ? ` ${packet.content.text}` : "";
    return `${sessionId} ${packet.type}${words}`;
  });
}

const chunk = (text: string): object => ({ sessionUpdate: "agent_message_chunk", content: { type: "text", text } });
const notified = (sessionId: string, update: object): object => ({
  jsonrpc: "2.0",
  method: "session/update",
  params: { sessionId, update },
});
const prompt = (id: unknown, sessionId: string, text: string): object => ({
  jsonrpc: "2.0",
  id,
  method: "session/prompt",
  params: { sessionId, prompt: [{ type: "text", text }] },
});
const answer = (id: unknown, stopReason = "end_turn"): object => ({ jsonrpc: "2.0", id, result: { stopReason } });

describe("LineParser", () => {
  it("an update is accepted as a notification, with a session id, bare, and as a tape row", () => {
    const take = lines();
    assert.deepEqual(short(take(notified("s", chunk("a")))), ["s agent_message_chunk a"]);
    assert.deepEqual(short(take({ sessionId: "s", update: chunk("b") })), ["s agent_message_chunk b"]);
    assert.deepEqual(short(take(chunk("c"))), ["s agent_message_chunk c"]);
    assert.deepEqual(short(take({ dir: "out", t: 5, msg: notified("s", chunk("d")) })), ["s agent_message_chunk d"]);
    assert.deepEqual(short(take({ dir: "out", side: "acp", msg: { sessionId: "s", update: chunk("e") } })), [
      "s agent_message_chunk e",
    ]);
    assert.deepEqual(short(take({ stopReason: "end_turn" })), ["s prompt_response"]);
    assert.deepEqual(lines()(chunk("x"))[0]?.sessionId, "", "no session is named");
  });

  it("output of the Claude CLI is accepted, and a changed session id stays the same conversation", () => {
    const take = lines();
    const assistant = (session_id: string, id: string, text: string): object => ({
      type: "assistant",
      session_id,
      parent_tool_use_id: null,
      message: { id, role: "assistant", content: [{ type: "text", text }] },
    });
    assert.deepEqual(take({ type: "system", subtype: "init", session_id: "one", cwd: "/work" }), []);
    assert.deepEqual(short(take(assistant("one", "m1", "hi"))), ["one agent_message_chunk hi"]);
    take({ type: "conversation_reset", session_id: "one" });
    assert.deepEqual(short(take(assistant("two", "m2", "again"))), ["one agent_message_chunk again"]);
    assert.deepEqual(short(take(assistant("other", "m3", "else"))), ["other agent_message_chunk else"]);
    const result = { type: "result", subtype: "success", session_id: "one", is_error: false };
    assert.deepEqual(short(take(result)), ["one prompt_response"]);
    assert.deepEqual(take({ type: "a word of tomorrow", session_id: "one" }), []);
  });

  it("a tape with the editor's and the CLI's side says everything once", () => {
    const take = lines();
    assert.deepEqual(short(take({ dir: "out", side: "acp", msg: notified("s", chunk("a")) })), [
      "s agent_message_chunk a",
    ]);
    const message = { id: "m", role: "assistant", content: [{ type: "text", text: "b" }] };
    const said = { type: "assistant", session_id: "c", parent_tool_use_id: null, message };
    assert.deepEqual(take({ dir: "out", side: "claude", msg: said }), []);
    assert.deepEqual(take({ dir: "exit", side: "claude", code: 1 }), []);
    const again = lines();
    again({ dir: "meta", recorded: "agent", cwd: "/p" });
    assert.deepEqual(again({ dir: "out", side: "claude", msg: said }), [], "also before the editor's first message");
    const alone = lines();
    assert.deepEqual(short(alone({ dir: "out", side: "claude", msg: said })), ["c agent_message_chunk b"]);
  });

  it("sessions are kept apart, whatever the order of their lines", () => {
    const take = lines();
    const call = { sessionUpdate: "tool_call_update", toolCallId: "same", name: "Bash", status: "in_progress" };
    const packets = ["a", "b", "a", "b"].flatMap((id) => take(notified(id, call)));
    assert.deepEqual(short(packets), [
      "a tool_call_start",
      "a tool_call_progress",
      "b tool_call_start",
      "b tool_call_progress",
    ]);
    take(prompt(1, "a", "?"));
    take(prompt(2, "b", "?"));
    assert.deepEqual(short(take(answer(2))), ["b prompt_response"]);
    assert.deepEqual(short(take(answer(1, "cancelled"))), ["a tool_call_progress", "a prompt_response"]);
  });

  it("a queued prompt is shown when its turn begins, not when it is sent", () => {
    const take = lines();
    assert.deepEqual(short(take(prompt(1, "s", "one"))), ["s user_message_chunk one"]);
    assert.deepEqual(take(prompt(2, "s", "two")), []);
    assert.deepEqual(take(prompt(3, "s", "three")), []);
    assert.deepEqual(short(take(answer(3))), ["s user_message_chunk three", "s prompt_response"], "refused at once");
    assert.deepEqual(short(take(answer(1))), ["s prompt_response", "s user_message_chunk two"]);
    assert.deepEqual(short(take(answer(2))), ["s prompt_response"]);
  });

  it("a response is matched to its request by the ids of each side", () => {
    const take = lines();
    take({ dir: "in", msg: prompt(1, "s", "?") });
    const ask = { sessionId: "s", toolCall: { toolCallId: "c", title: "May I?" }, options: [] };
    const asked = { jsonrpc: "2.0", id: 1, method: "session/request_permission", params: ask };
    assert.deepEqual(short(take({ dir: "out", msg: asked })), ["s permission_request"]);
    const yes = { jsonrpc: "2.0", id: 1, result: { outcome: { outcome: "selected", optionId: "y" } } };
    const [resolved] = take({ dir: "in", msg: yes });
    assert.deepEqual(resolved?.packet.type === "permission_resolved" && resolved.packet.optionId, "y");
    assert.deepEqual(take({ dir: "in", msg: yes }), [], "once");
    assert.deepEqual(short(take({ dir: "out", msg: answer(1) })), ["s prompt_response"]);
    assert.deepEqual(take({ dir: "out", msg: answer(1) }), [], "once");
  });

  it("the answer to a permission request is told from the response to a prompt even when lines have no direction", () => {
    const take = lines();
    take(prompt(1, "s", "?"));
    take({
      jsonrpc: "2.0",
      id: 1,
      method: "session/request_permission",
      params: { sessionId: "s", toolCall: { toolCallId: "c" }, options: [] },
    });
    const no = { jsonrpc: "2.0", id: 1, result: { outcome: { outcome: "cancelled" } } };
    assert.deepEqual(short(take(no)), ["s permission_resolved"]);
    assert.deepEqual(short(take(answer(1))), ["s prompt_response"]);
  });

  it("a failed prompt or a failed session start gives an error packet, other responses give none", () => {
    const error = { code: -32000, message: "sign in" };
    const take = lines();
    take({ jsonrpc: "2.0", id: 1, method: "session/new", params: { cwd: "/w", mcpServers: [] } });
    const [packet] = take({ jsonrpc: "2.0", id: 1, error });
    assert.deepEqual(packet?.packet.type === "error" && packet.packet.code, "-32000");
    take(prompt(2, "s", "?"));
    assert.deepEqual(short(take({ jsonrpc: "2.0", id: 2, error: { code: -32603 } })), ["s error"]);
    take({ jsonrpc: "2.0", id: 3, method: "session/set_mode", params: { sessionId: "s", modeId: "x" } });
    assert.deepEqual(take({ jsonrpc: "2.0", id: 3, error }), []);
    assert.deepEqual(take({ jsonrpc: "2.0", id: 99, error }), [], "nobody asked");
  });

  it("a response belongs to the session active last when only the agent's side was recorded", () => {
    const take = lines();
    take({ jsonrpc: "2.0", id: 1, result: { protocolVersion: 1 } });
    take({ jsonrpc: "2.0", id: 2, result: { sessionId: "s" } });
    take(notified("s", chunk("a")));
    assert.deepEqual(short(take(answer(3))), ["s prompt_response"]);
    assert.deepEqual(short(take({ jsonrpc: "2.0", id: 4, error: { code: 1, message: "no" } })), ["s error"]);
  });

  it("a session's directory is taken from the request that opened it, else from the option", () => {
    const write = {
      sessionUpdate: "tool_call",
      toolCallId: "c",
      title: "Write",
      name: "Write",
      kind: "edit",
      status: "completed",
      content: [{ type: "diff", path: "/work/src/a.ts", oldText: null, newText: "x" }],
    };
    const titleIn = (packets: readonly SessionPacket[]): unknown =>
      packets.flatMap(({ packet }) => (packet.type === "tool_call_progress" ? [packet.title] : []))[0];
    const take = lines("/work/src");
    take({ jsonrpc: "2.0", id: 1, method: "session/new", params: { cwd: "/work", mcpServers: [] } });
    take({ jsonrpc: "2.0", id: 1, result: { sessionId: "s" } });
    take({ jsonrpc: "2.0", id: 2, method: "session/load", params: { sessionId: "l", cwd: "/work", mcpServers: [] } });
    assert.deepEqual(
      ["s", "l", "other"].map((id) => titleIn(take(notified(id, write)))),
      ["src/a.ts", "src/a.ts", "a.ts"],
    );
    assert.equal(titleIn(lines()(notified("s", write))), "/work/src/a.ts");
  });

  it("an update of unknown kind is ignored, and an invalid update of a known kind is an error", () => {
    const reader = new LineParser({ now: () => 0, isStrict: false, cwd: undefined });
    const bad = (value: unknown): string => {
      const told = reader.line(typeof value === "string" ? value : JSON.stringify(value));
      return told instanceof BadLine ? told.why : "";
    };
    assert.deepEqual(reader.line(JSON.stringify(notified("s", { sessionUpdate: "tomorrow" }))), []);
    assert.equal(bad("nonsense"), "it is not JSON");
    assert.equal(bad([1]), "it must be an object");
    assert.equal(bad({}), "it is no message of ACP and none of the Claude CLI");
    assert.equal(bad({ dir: "out", msg: 1 }), "msg must be an object");
    assert.equal(bad(notified("s", { sessionUpdate: "tool_call", title: "x" })), "toolCallId must be given");
    assert.equal(bad({ jsonrpc: "2.0", id: 1, method: "session/prompt", params: {} }), "sessionId must be given");
    for (const row of [
      { dir: "meta", cwd: "/w" },
      { dir: "stderr", text: "x" },
      { dir: "in", eof: true },
      { dir: "out", raw: "x" },
    ]) {
      assert.deepEqual(reader.line(JSON.stringify(row)), []);
    }
  });

  it("the line parser throws for no line", () => {
    const reader = new LineParser({ now: () => 0, isStrict: false, cwd: undefined });
    const keys = [
      "dir",
      "msg",
      "side",
      "jsonrpc",
      "id",
      "method",
      "params",
      "result",
      "error",
      "type",
      "update",
      "session_id",
    ];
    const values = [...hostileValues.values()].filter(
      (value) => !["bigint", "function", "symbol"].includes(typeof value),
    );
    const shallow = values.filter((value) => !isDeep(value));
    const someValue = fc.oneof(
      fc.constantFrom(...shallow),
      fc.constantFrom(
        "in",
        "out",
        "exit",
        "session/update",
        "session/prompt",
        "session/request_permission",
        "user",
        "result",
      ),
      fc.jsonValue(),
    );
    const some = fc.dictionary(
      fc.constantFrom(...keys),
      fc.oneof(someValue, fc.dictionary(fc.constantFrom(...keys), someValue)),
    );
    fc.assert(
      fc.property(some, (value) => {
        const told = reader.line(JSON.stringify(value));
        assert.ok(told instanceof BadLine || Array.isArray(told));
      }),
      { numRuns: 200 },
    );
    for (const text of ["", "\0", "{", '"', "1e999", "[".repeat(10_000)])
      assert.ok(reader.line(text) instanceof BadLine);
  });
});

function isDeep(value: unknown): boolean {
  try {
    JSON.stringify(value);
    return false;
  } catch {
    return true;
  }
}
