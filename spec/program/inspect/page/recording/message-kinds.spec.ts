/**
 * The kinds of messages that the inspector's list can be filtered by.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  acp,
  answered,
  chunk,
  claude,
  codex,
  kinds,
  prompt,
  tapeOf,
  updated,
} from "../../../../support/program/inspector-modules.ts";

const kindsOf = (...rows: readonly object[]): readonly string[] => tapeOf(...rows).rows.map(({ kind }) => kind);

describe("kindOf", () => {
  it("the messages between editor and agent have kinds, and a response has the kind of its request", () => {
    assert.deepEqual(
      kindsOf(
        acp("in", 0, { id: 0, method: "initialize" }),
        prompt(1, 1, "a"),
        chunk(2, "b"),
        updated(3, { sessionUpdate: "agent_thought_chunk", content: { type: "text", text: "c" } }),
        updated(4, { sessionUpdate: "tool_call", toolCallId: "x", title: "d" }),
        acp("out", 5, { id: 5, method: "session/request_permission", params: { toolCall: { title: "e" } } }),
        acp("in", 6, { id: 5, result: { outcome: { outcome: "cancelled" } } }),
        acp("out", 7, { id: 6, method: "fs/read_text_file", params: {} }),
        acp("out", 8, { id: 7, method: "terminal/create", params: {} }),
        acp("out", 9, { id: 8, method: "elicitation/create", params: {} }),
        answered(10, 1),
        { dir: "stderr", t: 11, side: "acp", text: "f" },
      ),
      [
        "other",
        "prompt",
        "text",
        "thought",
        "tool",
        "permission",
        "permission",
        "file",
        "terminal",
        "permission",
        "prompt",
        "process",
      ],
    );
  });

  it("the messages of the Claude CLI have kinds by their blocks", () => {
    const said = (type: string, ...types: readonly string[]): object =>
      claude("out", 1, { type, message: { content: types.map((one) => ({ type: one })) } });
    assert.deepEqual(
      kindsOf(
        claude("in", 0, { type: "user", message: { content: "a" } }),
        said("assistant", "thinking"),
        said("assistant", "text"),
        said("assistant", "text", "tool_use"),
        said("user", "tool_result"),
        claude("out", 5, { type: "control_request", request_id: "r", request: { subtype: "can_use_tool" } }),
        claude("out", 6, { type: "result", subtype: "success" }),
        claude("out", 7, { type: "system", subtype: "init" }),
      ),
      ["prompt", "thought", "text", "tool", "tool", "permission", "prompt", "other"],
    );
  });

  it("the messages of Codex have kinds by their items", () => {
    const item = (type: string): object =>
      codex("out", 1, { method: "item/started", params: { item: { id: "i", type } } });
    assert.deepEqual(
      kindsOf(
        codex("in", 0, { id: 1, method: "turn/start", params: {} }),
        item("userMessage"),
        item("agentMessage"),
        item("reasoning"),
        item("commandExecution"),
        item("a type of next year"),
        codex("out", 2, { id: 0, method: "item/fileChange/requestApproval", params: {} }),
      ),
      ["prompt", "prompt", "text", "thought", "tool", "tool", "permission"],
    );
  });

  it("a message of any shape has a kind", () => {
    const all = new Set<string>(kinds.messageKinds.map(([kind]) => kind));
    for (const msg of [{ method: 5 }, { type: "assistant", message: 5 }, { method: "item/started" }, []])
      for (const kind of kindsOf({ dir: "in", side: "codex", msg }, { dir: "in", side: "claude", msg }))
        assert.ok(all.has(kind));
  });
});
