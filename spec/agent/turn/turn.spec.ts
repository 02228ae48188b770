import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Turn } from "../../../lib/agent/turn/turn.ts";
import { maxQueuedTurns, TurnQueue } from "../../../lib/agent/turn/turn-queue.ts";
import type { ConversationEvent } from "../../../lib/claude/index.ts";

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

function started(): Turn {
  const turn = new Turn(uuid, "hi");
  turn.isSent = true;
  turn.onEvent(lifecycle("queued"), true);
  turn.onEvent(lifecycle("started"), true);
  return turn;
}

describe("Turn", () => {
  it("a turn ends when its result has come and the CLI is idle", async () => {
    const turn = started();
    turn.onEvent(result(), true);
    assert.equal(turn.isSettled, false);
    turn.onEvent(idle, true);
    assert.deepEqual(await turn.ended, { kind: "stopped", stopReason: "end_turn" });
  });

  it("a turn ends after the prompts added to it, in its own result or in a later one", async () => {
    const folded = started();
    const { uuid: with1 = "" } = folded.add("more");
    folded.onEvent(result({ user_message_uuids: [uuid, with1] }), true);
    folded.onEvent(idle, true);
    assert.equal(folded.isSettled, true);
    const turn = started();
    const { uuid: after1 = "" } = turn.add("more");
    turn.onEvent(result(), true);
    turn.onEvent(idle, true);
    assert.equal(turn.isSettled, false, "the rest is still to come");
    turn.onEvent(result({ user_message_uuids: [after1], stop_reason: "max_tokens" }), true);
    turn.onEvent(idle, true);
    assert.deepEqual(await turn.ended, { kind: "stopped", stopReason: "max_tokens" });
    const dropped = started();
    const { uuid: never = "" } = dropped.add("more");
    dropped.onEvent(lifecycle("cancelled", never), true);
    dropped.onEvent(result(), true);
    dropped.onEvent(idle, true);
    assert.equal(dropped.isSettled, true);
    const unnamed = started();
    unnamed.add("more");
    unnamed.onEvent(result({ user_message_uuids: undefined }), false);
    assert.equal(unnamed.isSettled, true);
  });

  it("a turn ends with its result if the CLI does not report when it is idle", async () => {
    const turn = started();
    turn.onEvent(result(), false);
    assert.deepEqual(await turn.ended, { kind: "stopped", stopReason: "end_turn" });
  });

  it("a turn is not ended by the result of another prompt or of no prompt", () => {
    const turn = started();
    turn.onEvent(result({ user_message_uuids: [other] }), false);
    turn.onEvent(result({ user_message_uuids: undefined, origin: { kind: "task-notification" } }), false);
    assert.equal(turn.isSettled, false);
  });

  it("a started turn takes a result that names no prompt", async () => {
    const turn = started();
    turn.onEvent(result({ user_message_uuids: undefined }), false);
    assert.equal((await turn.ended).kind, "stopped");
  });

  it("a started turn fails when the CLI becomes idle without a result", async () => {
    const waiting = new Turn(uuid, "hi");
    waiting.onEvent(idle, true);
    assert.equal(waiting.isSettled, false);
    const turn = started();
    turn.onEvent(idle, true);
    assert.deepEqual(await turn.ended, {
      kind: "failed",
      failure: "other",
      text: "the Claude CLI came to rest without an answer",
    });
  });

  it("a cancelled turn ends as cancelled whatever the CLI reports", async () => {
    const failed = started();
    failed.isCancelled = true;
    failed.onEvent(result({ is_error: true, result: "boom" }), false);
    assert.deepEqual(await failed.ended, { kind: "stopped", stopReason: "cancelled" });
    const lost = started();
    lost.isCancelled = true;
    lost.fail(new Error("gone"));
    assert.deepEqual(await lost.ended, { kind: "stopped", stopReason: "cancelled" });
    const withdrawn = started();
    withdrawn.onEvent(lifecycle("cancelled"), true);
    assert.deepEqual(await withdrawn.ended, { kind: "stopped", stopReason: "cancelled" });
  });

  it("a turn that the user ended by an answer has the stop reason end_turn", async () => {
    const turn = started();
    turn.endByUser();
    turn.onEvent(
      result({ subtype: "error_during_execution", is_error: true, terminal_reason: "aborted_tools" }),
      false,
    );
    assert.deepEqual(await turn.ended, { kind: "stopped", stopReason: "end_turn" });
  });

  it("a turn keeps the result it already had when the CLI is lost, and fails otherwise", async () => {
    const answered = started();
    answered.onEvent(result(), true);
    answered.fail(new Error("gone"));
    assert.equal((await answered.ended).kind, "stopped");
    const unanswered = started();
    unanswered.fail(new Error("gone"));
    await assert.rejects(unanswered.ended, /gone/);
  });

  it("a turn is settled once", async () => {
    const turn = started();
    turn.onEvent(result({ stop_reason: "max_tokens" }), false);
    turn.onEvent(result(), false);
    turn.cancel();
    turn.fail(new Error("gone"));
    assert.deepEqual(await turn.ended, { kind: "stopped", stopReason: "max_tokens" });
  });

  it("a turn takes the kind of its failure from its own message, not from a subagent's", async () => {
    const turn = started();
    turn.onEvent(event({ type: "assistant", message: { content: [] }, error: "rate_limit" }), true);
    turn.onEvent(
      event({ type: "assistant", message: { content: [] }, error: "server_error", parent_tool_use_id: "toolu_1" }),
      true,
    );
    turn.onEvent(result({ is_error: true, terminal_reason: "api_error", result: "Limit reached" }), false);
    assert.deepEqual(await turn.ended, { kind: "failed", failure: "limit", text: "Limit reached" });
  });
});

describe("TurnQueue", () => {
  /** A queue whose turns end when the spec ends them. */
  function queue(): { readonly turns: TurnQueue; readonly ran: Turn[] } {
    const ran: Turn[] = [];
    const turns = new TurnQueue(async (turn) => {
      ran.push(turn);
      await turn.ended;
    });
    return { turns, ran };
  }

  it("the queue runs one turn at a time, in order", async () => {
    const { turns, ran } = queue();
    const [first, second] = [new Turn(uuid, "1"), new Turn(other, "2")];
    turns.push(first);
    turns.push(second);
    assert.deepEqual(ran, [first]);
    assert.equal(turns.current, first);
    first.cancel();
    await first.ended;
    await Promise.resolve();
    await new Promise(setImmediate);
    assert.deepEqual(ran, [first, second]);
    assert.equal(turns.current, second);
  });

  it("cancelWaiting cancels the waiting turns without running them", async () => {
    const { turns, ran } = queue();
    const [first, second] = [new Turn(uuid, "1"), new Turn(other, "2")];
    turns.push(first);
    turns.push(second);
    turns.cancelWaiting();
    assert.deepEqual(await second.ended, { kind: "stopped", stopReason: "cancelled" });
    assert.equal(first.isSettled, false);
    assert.deepEqual(ran, [first]);
  });

  it("the queue refuses a turn past its limit", () => {
    const { turns } = queue();
    for (let i = 0; i <= maxQueuedTurns; i++) turns.push(new Turn(uuid, "x"));
    assert.throws(() => turns.push(new Turn(uuid, "x")), { code: -32603, message: /limit is 8/ });
  });
});
