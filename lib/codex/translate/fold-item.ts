/**
 * Translates the items of a turn: messages, reasoning, compactions and calls.
 */
import { compaction, notice, type Updates } from "../../display/index.ts";
import type { ThreadItem } from "../protocol/index.ts";
import { foldAgentActivity, foldAgentCall, parentOf } from "./agents.ts";
import { callOf } from "./calls/index.ts";
import type { CodexState } from "./state/codex-state.ts";

const noUpdates: Updates = [];

export function foldStarted(state: CodexState, item: ThreadItem, threadId: string | undefined): Updates {
  if (item.type === "agentMessage" || item.type === "plan") return state.messages.started("text", item.id, item.text);
  if (item.type === "contextCompaction") {
    state.compactionId = item.id;
    return compaction(state.view, item.id, "in_progress");
  }
  if (item.type === "enteredReviewMode") {
    return shown(state, [notice(state.view, "info", `Reviewing ${item.review ?? "the changes"}`)]);
  }
  return foldCallStarted(state, item, threadId);
}

export function foldCompleted(state: CodexState, item: ThreadItem, threadId: string | undefined): Updates {
  const { messages } = state;
  if (item.type === "agentMessage") return messages.whole("text", item.id, item.text);
  if (item.type === "plan") {
    state.proposedPlan = item.text;
    return messages.whole("text", item.id, item.text);
  }
  if (item.type === "reasoning") {
    return [
      ...messages.whole("thought", item.id, (item.summary ?? []).join("\n\n")),
      ...messages.whole("thought", rawPart(item.id), (item.content ?? []).join("\n\n")),
    ];
  }
  if (item.type === "contextCompaction") {
    state.compactionId = item.id;
    return endCompaction(state, "completed");
  }
  return foldCallCompleted(state, item, threadId);
}

export function foldCallStarted(state: CodexState, item: ThreadItem, threadId: string | undefined): Updates {
  if (item.type === "subAgentActivity") return shown(state, foldAgentActivity(state, item, threadId));
  const call = callOf(item, state.view);
  if (call === undefined || state.calls.isOpen(call.id) || state.calls.hasEnded(call.id)) return noUpdates;
  return shown(state, state.calls.begin(call.id, call.view(), { threadId, item, parent: parentOf(state, threadId) }));
}

export function foldCallCompleted(state: CodexState, item: ThreadItem, threadId: string | undefined): Updates {
  if (item.type === "subAgentActivity") return noUpdates;
  const call = callOf(item, state.view);
  if (call === undefined) return noUpdates;
  // The notification that would have announced the call may be lost.
  const announced = foldCallStarted(state, item, threadId);
  if (item.type !== "collabAgentToolCall") return [...announced, ...state.calls.end(call.id, call.end())];
  const agents = foldAgentCall(state, item);
  return [...announced, ...agents, ...(item.tool === "spawnAgent" ? noUpdates : state.calls.end(call.id, call.end()))];
}

/** A second model has judged a call. The end of the item says what that model refused. */
export function foldReviewed(
  state: CodexState,
  itemId: string | null | undefined,
  status: string | null | undefined,
): Updates {
  return itemId == null || status !== "approved" ? noUpdates : state.calls.running(itemId);
}

export function endCompaction(state: CodexState, status: "completed" | "failed", error?: string): Updates {
  const id = state.compactionId;
  state.compactionId = undefined;
  return id === undefined ? noUpdates : compaction(state.view, id, status, error);
}

/** Raw reasoning comes in addition to the summaries of the same item and is a separate message. */
export function rawPart(id: string): string {
  return `${id}:raw`;
}

function shown(state: CodexState, updates: Updates): Updates {
  if (updates.length > 0) state.messages.separated();
  return updates;
}
