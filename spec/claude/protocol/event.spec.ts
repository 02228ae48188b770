/**
 * Every recorded line of the CLI is read without a copy; everything else becomes an `Unknown`.
 */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { describe, it } from "node:test";
import { ClaudeEvent, controlMethods, hostMethods, HostFrame, SystemEvent } from "../../../lib/claude/index.ts";
import { isRecord } from "../../../lib/schema/index.ts";
import { recording, recordingNames, saidByCli } from "../../support/claude/claude-recording.ts";

/** Reads one value. The result is never a fault. */
function read(value: unknown): ClaudeEvent {
  return ClaudeEvent.read(value) as ClaudeEvent;
}

/** The type of an event, with its subtype or the type inside it. */
function kindOf(event: ClaudeEvent): string {
  if (event.type === "stream_event") {
    const { event: inner } = event;
    return `stream_event/${inner.type === "content_block_delta" ? inner.delta.type : inner.type}`;
  }
  if (event.type === "system" || event.type === "result") return `${event.type}/${event.subtype}`;
  if (event.type === "control_request") return `control_request/${event.request.subtype}`;
  if (event.type === "control_response") return `control_response/${event.response.subtype}`;
  return event.type;
}

/** The names of the content blocks of an event that were kept as unknown. */
function unknownBlocks(event: ClaudeEvent): readonly string[] {
  if (event.type === "stream_event") {
    const block = event.event.type === "content_block_start" ? event.event.content_block : undefined;
    return block?.type === "unknown" ? [block.named] : [];
  }
  if (event.type !== "assistant" && event.type !== "user") return [];
  const { content } = event.message;
  if (typeof content === "string") return [];
  return content.flatMap((block) => {
    const parts = block.type === "tool_result" && Array.isArray(block.content) ? block.content : [];
    return [block, ...parts].flatMap((part) => (part.type === "unknown" ? [part.named] : []));
  });
}

describe("ClaudeEvent", () => {
  for (const name of recordingNames()) {
    it(`ClaudeEvent reads every line of ${name} without a copy`, () => {
      for (const value of saidByCli(name)) {
        const event = read(value);
        assert.equal(event, value, `${kindOf(event)} was repaired or not understood`);
        assert.deepEqual(unknownBlocks(event), []);
      }
    });
  }

  it("the recordings contain every kind of event that can be recorded", () => {
    const seen = new Set<string>();
    for (const name of recordingNames()) for (const value of saidByCli(name)) seen.add(kindOf(read(value)));
    assert.deepEqual([...seen].sort(), everyKind);
  });

  it("ClaudeEvent reads all recordings in BOWLINE_RECORDINGS", (t) => {
    const pool = process.env["BOWLINE_RECORDINGS"];
    if (pool === undefined || !existsSync(pool)) return t.skip("BOWLINE_RECORDINGS is not set");
    for (const name of recordingNames(pool)) {
      for (const value of saidByCli(name, pool)) assert.equal(read(value), value, name);
    }
  });

  it("an event of an unknown type is kept whole under its name", () => {
    const value = { type: "brand_new", payload: { a: 1 } };
    const event = read(value);
    assert.equal(event.type, "unknown");
    assert.equal(event.named, "brand_new");
    assert.equal(event.value, value);
  });

  it("an unknown subtype, stream event or delta is named by its path", () => {
    const named = (value: unknown): string => {
      const event = read(value);
      return event.type === "unknown" ? event.named : assert.fail(`${event.type} was understood`);
    };
    assert.equal(named({ type: "system", subtype: "brand_new" }), "system/brand_new");
    assert.equal(named({ type: "stream_event", event: { type: "brand_new" } }), "stream_event/brand_new");
    const delta = { type: "content_block_delta", index: 0, delta: { type: "brand_new" } };
    assert.equal(named({ type: "stream_event", event: delta }), "stream_event/content_block_delta/brand_new");
  });

  it("a message with unknown or broken blocks keeps its other blocks", () => {
    const content = [
      { type: "text", text: "a" },
      { type: "hologram", x: 1 },
      { type: "tool_use", name: "no id" },
    ];
    const event = read({ type: "assistant", message: { content } });
    assert.equal(event.type, "assistant");
    assert.deepEqual(
      event.message.content.map((block) => (block.type === "unknown" ? `unknown ${block.named}` : block.type)),
      ["text", "unknown hologram", "unknown tool_use"],
    );
    assert.deepEqual(unknownBlocks(event), ["hologram", "tool_use"]);
  });

  it("a field of the wrong type is dropped and the event is kept", () => {
    const event = read({
      type: "result",
      is_error: "yes",
      num_turns: {},
      result: "done",
      user_message_uuids: ["a", 1],
    });
    assert.equal(event.type, "result");
    assert.deepEqual({ ...event }, { type: "result", result: "done", user_message_uuids: ["a"] });
  });

  it("ClaudeEvent never throws and keeps every hostile value", () => {
    const hostile: unknown[] = [
      null,
      [],
      "",
      -0,
      {},
      { type: null },
      { type: "__proto__" },
      { type: "constructor" },
      { type: "system", subtype: "toString" },
      { type: "assistant" },
      { type: "assistant", message: { content: "text" } },
      { type: "stream_event", event: null },
      JSON.parse('{"__proto__":{"type":"result"},"type":"x"}'),
      { type: "x".repeat(10_000) },
    ];
    for (const value of hostile) {
      const event = read(value);
      assert.ok(event.type === "unknown" && event.value === value);
      assert.ok(event.named.length <= 200, "the name is cut");
    }
  });

  it("a fault never quotes the value", () => {
    const event = read({ type: "user", message: { content: 7, secret: "sk-123" }, secret: "sk-123" });
    assert.ok(event.type === "unknown" && !event.fault.includes("sk-123"));
  });

  it("ClaudeEvent knows every system subtype of the CLI", () => {
    for (const subtype of documentedSubtypes) {
      const value = { type: "system", subtype, ...needed[subtype] };
      assert.equal(SystemEvent.read(value), value, subtype);
    }
  });

  it("events narrow by type, and the text deltas of a turn add up to its result", () => {
    let text = "";
    let result: string | undefined;
    for (const value of saidByCli("text")) {
      const event = read(value);
      // @ts-expect-error a result has no `message`
      void (event.type === "result" && event.message);
      if (event.type === "result") result = event.result;
      if (event.type !== "stream_event" || event.event.type !== "content_block_delta") continue;
      if (event.event.delta.type === "text_delta") text += event.event.delta.text;
    }
    assert.equal(text, result);
    assert.ok(text.length > 0);
  });
});

describe("hostMethods and controlMethods", () => {
  it("the tables of methods read every recorded request of the CLI and every answer to ours", () => {
    let asked = 0;
    let answered = 0;
    for (const name of recordingNames()) {
      const ours = new Map<string, string>();
      for (const { dir, msg } of recording(name)) {
        if (!isRecord(msg)) continue;
        if (dir === "in") {
          const frame = HostFrame.read(msg);
          if (msg["type"] === "totally_unknown") continue;
          assert.equal(frame, msg, name);
          if ("request" in frame) ours.set(frame.request_id, frame.request.subtype);
        }
        if (dir !== "out") continue;
        const event = read(msg);
        if (event.type === "control_request") {
          const { subtype } = event.request;
          assert.ok(subtype in hostMethods, subtype);
          const method = hostMethods[subtype as keyof typeof hostMethods];
          assert.equal(method.request.read(event.request), event.request, `${name} ${subtype}`);
          asked++;
        }
        if (event.type === "control_response" && event.response.subtype === "success") {
          const subtype = ours.get(event.response.request_id) ?? "";
          assert.ok(subtype in controlMethods, `${name} ${subtype}`);
          const given = event.response.response ?? {};
          assert.equal(controlMethods[subtype as keyof typeof controlMethods].answer.read(given), given, subtype);
          answered++;
        }
      }
    }
    assert.ok(asked >= 20 && answered >= 50, `${asked} asked, ${answered} answered`);
  });
});

const needed: Readonly<Record<string, object>> = {
  session_state_changed: { state: "idle" },
  task_started: { task_id: "t" },
  task_progress: { task_id: "t" },
  task_updated: { task_id: "t" },
  task_notification: { task_id: "t" },
  background_tasks_changed: { tasks: [] },
  informational: { content: "" },
  notification: { text: "" },
  local_command_output: { content: "" },
  commands_changed: { commands: [] },
};

const documentedSubtypes =
  `init status session_state_changed task_started task_progress task_updated task_notification background_tasks_changed
  api_retry model_fallback model_refusal_fallback model_refusal_no_fallback compact_boundary informational notification
  local_command_output permission_denied session_title_changed commands_changed hook_started hook_progress hook_response
  thinking_tokens control_request_progress elicitation_complete files_persisted memory_recall plugin_install mirror_error
  worker_shutting_down session_writes_lost ui_invalidate turn_duration turn_preempted stop_hook_summary session_metadata
  post_turn_summary task_summary away_summary permission_retry permission_check_status per_turn_effort_changed
  model_consent_fallback memory_saved instruction_size_warning file_snapshot file_attachments_missing vcs_state_changed
  code_change_published scheduled_task_fire peer_message_hold api_error agents_killed`.split(/\s+/);

const everyKind = [
  "assistant",
  "command_lifecycle",
  "control_cancel_request",
  "control_request/can_use_tool",
  "control_request/elicitation",
  "control_request/hook_callback",
  "control_request/mcp_message",
  "control_response/error",
  "control_response/success",
  "conversation_reset",
  "rate_limit_event",
  "result/error_during_execution",
  "result/error_max_budget_usd",
  "result/error_max_turns",
  "result/success",
  "stream_event/content_block_start",
  "stream_event/content_block_stop",
  "stream_event/input_json_delta",
  "stream_event/message_delta",
  "stream_event/message_start",
  "stream_event/message_stop",
  "stream_event/signature_delta",
  "stream_event/text_delta",
  "stream_event/thinking_delta",
  "system/api_retry",
  "system/background_tasks_changed",
  "system/compact_boundary",
  "system/hook_response",
  "system/hook_started",
  "system/informational",
  "system/init",
  "system/model_refusal_fallback",
  "system/model_refusal_no_fallback",
  "system/permission_denied",
  "system/session_state_changed",
  "system/session_title_changed",
  "system/status",
  "system/task_notification",
  "system/task_progress",
  "system/task_started",
  "system/task_updated",
  "system/thinking_tokens",
  "system/ui_invalidate",
  "tool_progress",
  "user",
];
