/**
 * Specs of `TurnTracker`: which events of the CLI begin and end a turn.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { ConversationEvent, PromptFrame } from "../../../../lib/claude/index.ts";
import { type TrackedEnd, TurnTracker } from "../../../../lib/claude/engine/turn/turn-tracker.ts";

const uuid = "11111111-1111-4111-8111-111111111111";
const other = "22222222-2222-4222-8222-222222222222";

/** Events of the CLI with only the fields that a turn reads. */
const event = (value: object): ConversationEvent => value as ConversationEvent;
const lifecycle = (state: string, command_uuid = uuid): ConversationEvent =>
  event({ type: "command_lifecycle", command_uuid, state });
const result = (more: object = {}): ConversationEvent =>
  event({
    type: "result",
    subtype: "success",
    is_error: false,
    stop_reason: "end_turn",
    user_message_uuids: [uuid],
    ...more,
  });
const idle = event({ type: "system", subtype: "session_state_changed", state: "idle" });

const endTurn = { kind: "stopped", stopReason: "end_turn" };

function frame(id: string): PromptFrame {
  return { type: "user", message: { role: "user", content: "hi" }, uuid: id };
}

function waiting(): TurnTracker {
  return new TurnTracker(uuid, frame(uuid));
}

function started(): TurnTracker {
  const turn = waiting();
  turn.onEvent(lifecycle("queued"), true);
  turn.onEvent(lifecycle("started"), true);
  return turn;
}

/** Passes events to a turn whose CLI reports when it is idle, and returns the end of the turn. */
function endAfter(turn: TurnTracker, ...events: readonly ConversationEvent[]): TrackedEnd | undefined {
  return events.map((one) => turn.onEvent(one, true)).find((end) => end !== undefined);
}

describe("TurnTracker", () => {
  it("a turn ends when its result has come and the CLI is idle", () => {
    const turn = started();
    assert.equal(turn.onEvent(result(), true), undefined);
    assert.equal(turn.isEnded, false);
    assert.deepEqual(turn.onEvent(idle, true), endTurn);
    assert.equal(turn.isEnded, true);
  });

  it("a turn ends after the prompts added to it, in its own result or in a later one", () => {
    const folded = started();
    folded.add(other, frame(other));
    assert.deepEqual(endAfter(folded, result({ user_message_uuids: [uuid, other] }), idle), endTurn);
    const turn = started();
    turn.add(other, frame(other));
    assert.equal(endAfter(turn, result(), idle), undefined, "the rest is still to come");
    assert.deepEqual(endAfter(turn, result({ user_message_uuids: [other], stop_reason: "max_tokens" }), idle), {
      kind: "stopped",
      stopReason: "max_tokens",
    });
    const dropped = started();
    dropped.add(other, frame(other));
    assert.deepEqual(endAfter(dropped, lifecycle("cancelled", other), result(), idle), endTurn);
    const unnamed = started();
    unnamed.add(other, frame(other));
    assert.deepEqual(unnamed.onEvent(result({ user_message_uuids: undefined }), false), endTurn);
  });

  it("a turn ends with its result if the CLI does not report when it is idle", () => {
    assert.deepEqual(started().onEvent(result(), false), endTurn);
  });

  it("a turn is not ended by the result of another prompt or of no prompt", () => {
    const turn = started();
    assert.equal(turn.onEvent(result({ user_message_uuids: [other] }), false), undefined);
    const noPrompt = result({ user_message_uuids: undefined, origin: { kind: "task-notification" } });
    assert.equal(turn.onEvent(noPrompt, false), undefined);
  });

  it("a started turn takes a result that names no prompt", () => {
    assert.deepEqual(started().onEvent(result({ user_message_uuids: undefined }), false), endTurn);
  });

  it("a started turn is unanswered when the CLI becomes idle without a result", () => {
    assert.equal(waiting().onEvent(idle, true), undefined);
    assert.deepEqual(started().onEvent(idle, true), { kind: "unanswered" });
  });

  it("a prompt that the CLI withdraws ends its turn as cancelled", () => {
    assert.deepEqual(started().onEvent(lifecycle("cancelled"), true), { kind: "stopped", stopReason: "cancelled" });
  });

  it("a turn that the user ended by an answer has the stop reason end_turn", () => {
    const turn = started();
    turn.endByUser();
    const aborted = result({ subtype: "error_during_execution", is_error: true, terminal_reason: "aborted_tools" });
    assert.deepEqual(turn.onEvent(aborted, false), endTurn);
  });

  it("a turn knows the result that came before the CLI was lost", () => {
    const answered = started();
    answered.onEvent(result(), true);
    assert.deepEqual(answered.result, endTurn);
    assert.equal(started().result, undefined);
  });

  it("the turn tracker ends a turn once", () => {
    const turn = started();
    assert.notEqual(turn.onEvent(result(), false), undefined);
    assert.equal(turn.onEvent(result(), false), undefined);
    assert.equal(turn.onEvent(lifecycle("cancelled"), true), undefined);
  });

  it("a turn takes the kind of its failure from its own message, not from a subagent's", () => {
    const turn = started();
    turn.onEvent(event({ type: "assistant", message: { content: [] }, error: "rate_limit" }), true);
    turn.onEvent(
      event({ type: "assistant", message: { content: [] }, error: "server_error", parent_tool_use_id: "toolu_1" }),
      true,
    );
    const failed = result({ is_error: true, terminal_reason: "api_error", result: "Limit reached" });
    assert.deepEqual(turn.onEvent(failed, false), { kind: "failed", failure: "limit", text: "Limit reached" });
  });
});
