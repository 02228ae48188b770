/**
 * `fold`: translates one notification of `codex app-server` into the ACP session updates
 * that the client gets.
 *
 * The only path from Codex to ACP: live turns and loaded history use it, so they look the
 * same. It changes the `CodexState` and nothing else, and must not depend on a client, a
 * logger or a clock.
 */
import { planEntry, type SessionUpdate, update } from "../../acp/index.ts";
import { compaction, notice } from "../../display/index.ts";
import { type CodexNotification, type ThreadItem, threadIdOf, type TokenUsage, type Turn } from "../protocol/index.ts";
import {
  adoptAgent,
  foldAgentActivity,
  foldAgentCall,
  foldAgentTurnEnd,
  parentOf,
} from "./agents.ts";
import { callOf } from "./calls/index.ts";
import { foldPrompt } from "./history-prompt.ts";
import { mcpServerNotice, retryNotice, warningNotice } from "./notices.ts";
import type { CodexState } from "./state/codex-state.ts";

type Updates = readonly SessionUpdate[];

const noUpdates: Updates = [];

export function fold(state: CodexState, notification: CodexNotification): Updates {
  const threadId = threadIdOf(notification);
  if (state.isAgent(threadId)) return foldAgent(state, threadId, notification);
  if (threadId !== undefined && state.threadId !== undefined && threadId !== state.threadId) {
    if (notification.method === "turn/started") adoptAgent(state, threadId, notification.params.turn);
    return noUpdates;
  }
  const updates = foldOwn(state, notification);
  if (updates.some(({ sessionUpdate }) => sessionUpdate !== "usage_update")) state.hasShown = true;
  return updates;
}

/**
 * Nothing more will come: closes everything that is open. For a process that is gone, and
 * for commands that did not end after a cancelled turn.
 */
export function foldEnd(state: CodexState, why: string): Updates {
  const compacting = endCompaction(state, "failed", why);
  state.messages.turnEnded();
  return [...state.calls.closeAll(why), ...compacting];
}

/** A turn of a saved thread. Its items are shown as they were live. */
export function foldHistory(state: CodexState, turn: Turn): Updates {
  const { threadId } = state;
  const updates = (turn.items ?? []).flatMap((item): Updates => {
    if (item.type === "userMessage") return foldPrompt(item);
    if (item.type === "contextCompaction") return compaction(state.view, item.id, "completed");
    return [...foldStarted(state, item, threadId), ...foldCompleted(state, item, threadId)];
  });
  const agents = turn.status === "completed" ? [...state.agents.values()] : [];
  const reported = agents.flatMap((id) => (id === undefined ? [] : state.calls.end(id, { status: "completed" })));
  const ended = foldEnd(state, turn.status === "interrupted" ? "Cancelled." : "It did not run to its end.");
  return [...updates, ...reported, ...ended];
}

/** Of an agent only its calls are shown. */
function foldAgent(state: CodexState, threadId: string, notification: CodexNotification): Updates {
  switch (notification.method) {
    case "item/started":
      return foldCallStarted(state, notification.params.item, threadId);
    case "item/completed": {
      const { item } = notification.params;
      if (item.type === "agentMessage") state.reports.set(threadId, item.text);
      return foldCallCompleted(state, item, threadId);
    }
    case "item/commandExecution/outputDelta":
      return state.calls.output(notification.params.itemId, notification.params.delta);
    case "item/autoApprovalReview/completed":
      return foldReviewed(state, notification.params.targetItemId, notification.params.review?.status);
    case "turn/completed":
      return foldAgentTurnEnd(state, threadId, notification.params.turn);
    default:
      return noUpdates;
  }
}

function foldOwn(state: CodexState, notification: CodexNotification): Updates {
  const { messages, calls, view } = state;
  switch (notification.method) {
    case "item/agentMessage/delta":
    case "item/plan/delta":
      return messages.delta("text", notification.params.itemId, notification.params.delta);
    case "item/commandExecution/outputDelta":
      return calls.output(notification.params.itemId, notification.params.delta);
    case "item/started":
      return foldStarted(state, notification.params.item, notification.params.threadId);
    case "item/completed":
      return foldCompleted(state, notification.params.item, notification.params.threadId);
    case "item/reasoning/summaryTextDelta":
      return messages.delta("thought", notification.params.itemId, notification.params.delta);
    case "item/reasoning/textDelta":
      return messages.delta("thought", rawPart(notification.params.itemId), notification.params.delta);
    case "item/reasoning/summaryPartAdded":
      messages.nextPart("thought", notification.params.itemId);
      return noUpdates;
    case "item/autoApprovalReview/completed":
      return foldReviewed(state, notification.params.targetItemId, notification.params.review?.status);
    case "turn/started":
      return foldTurnStarted(state, notification.params.turn);
    case "turn/completed":
      return foldTurnCompleted(state, notification.params.turn, notification.params.threadId);
    case "turn/plan/updated":
      messages.separated();
      return [update.plan(notification.params.plan.map(({ step, status }) => planEntry(step, planStatus(status))))];
    case "thread/tokenUsage/updated":
      messages.responded();
      return usageOf(state, notification.params.tokenUsage);
    case "error":
      if (notification.params.willRetry !== true) return noUpdates;
      messages.broke();
      return retryNotice(state, notification.params.error);
    case "thread/name/updated":
      return [update.sessionInfo({ title: notification.params.threadName ?? null })];
    case "model/rerouted": {
      const { fromModel, toModel } = notification.params;
      return toModel == null
        ? noUpdates
        : [notice(view, "warning", `Codex answers with ${toModel}${fromModel == null ? "" : ` instead of ${fromModel}`}.`)];
    }
    case "warning":
      return warningNotice(state, "warning", notification.params.message);
    case "guardianWarning": {
      const { message } = notification.params;
      return warningNotice(state, / approved\b/.test(message) ? "info" : "warning", message);
    }
    case "configWarning":
      return warningNotice(state, "warning", notification.params.summary, notification.params.details);
    case "mcpServer/startupStatus/updated": {
      const { name, status, error } = notification.params;
      return status === "failed" ? mcpServerNotice(state, name, error) : noUpdates;
    }
    case "item/commandExecution/terminalInteraction":
    case "item/fileChange/patchUpdated":
    case "item/mcpToolCall/progress":
    case "thread/started":
    case "thread/status/changed":
    case "thread/settings/updated":
    case "thread/closed":
    case "deprecationNotice":
    case "serverRequest/resolved":
    case "account/updated":
    case "account/login/completed":
    case "account/rateLimits/updated":
    case "skills/changed":
    case "unknown":
      return noUpdates;
  }
}

function foldStarted(state: CodexState, item: ThreadItem, threadId: string | undefined): Updates {
  switch (item.type) {
    case "agentMessage":
      return state.messages.started("text", item.id, item.text);
    case "plan":
      return state.messages.started("text", item.id, item.text);
    case "contextCompaction":
      state.compactionId = item.id;
      return compaction(state.view, item.id, "in_progress");
    case "enteredReviewMode":
      state.messages.separated();
      return [notice(state.view, "info", `Reviewing ${item.review ?? "the changes"}`)];
    default:
      return foldCallStarted(state, item, threadId);
  }
}

function foldCompleted(state: CodexState, item: ThreadItem, threadId: string | undefined): Updates {
  const { messages } = state;
  switch (item.type) {
    case "agentMessage":
      return messages.whole("text", item.id, item.text);
    case "plan":
      state.proposedPlan = item.text;
      return messages.whole("text", item.id, item.text);
    case "reasoning":
      return [
        ...messages.whole("thought", item.id, (item.summary ?? []).join("\n\n")),
        ...messages.whole("thought", rawPart(item.id), (item.content ?? []).join("\n\n")),
      ];
    case "contextCompaction":
      state.compactionId = item.id;
      return endCompaction(state, "completed");
    default:
      return foldCallCompleted(state, item, threadId);
  }
}

function foldCallStarted(state: CodexState, item: ThreadItem, threadId: string | undefined): Updates {
  if (item.type === "subAgentActivity") return shown(state, foldAgentActivity(state, item, threadId));
  const call = callOf(item, state.view);
  if (call === undefined) return noUpdates;
  return shown(state, state.calls.begin(call.id, call.view, { threadId, item, parent: parentOf(state, threadId) }));
}

function foldCallCompleted(state: CodexState, item: ThreadItem, threadId: string | undefined): Updates {
  if (item.type === "subAgentActivity") return noUpdates;
  const call = callOf(item, state.view);
  if (call === undefined) return noUpdates;
  // The notification that would have announced the call may be lost.
  const announced = foldCallStarted(state, item, threadId);
  if (item.type !== "collabAgentToolCall") return [...announced, ...state.calls.end(call.id, call.end())];
  const agents = foldAgentCall(state, item);
  return [...announced, ...agents, ...(item.tool === "spawnAgent" ? noUpdates : state.calls.end(call.id, call.end()))];
}

function shown(state: CodexState, updates: Updates): Updates {
  if (updates.length > 0) state.messages.separated();
  return updates;
}

/** A second model has judged a call. What it refused, the item's end tells. */
function foldReviewed(state: CodexState, itemId: string | null | undefined, status: string | null | undefined): Updates {
  return itemId == null || status !== "approved" ? noUpdates : state.calls.running(itemId);
}

function foldTurnStarted(state: CodexState, turn: Turn): Updates {
  // The turn of a review has an id of its own; its end has the id of the root.
  state.turnId = turn.rootTurnId ?? turn.id;
  state.proposedPlan = undefined;
  state.hasShown = false;
  state.lastRetry = "";
  return noUpdates;
}

function foldTurnCompleted(state: CodexState, turn: Turn, threadId: string): Updates {
  const isCancelled = turn.status === "interrupted";
  const why = isCancelled ? "Cancelled." : "It did not run to its end.";
  const missed = (turn.items ?? []).flatMap((item) =>
    item.type === "agentMessage" ? state.messages.whole("text", item.id, item.text) : noUpdates,
  );
  const isSilent = turn.status === "completed" && !state.hasShown && missed.length === 0;
  const updates = [
    ...missed,
    ...state.calls.turnEnded(threadId, why, !isCancelled),
    ...endCompaction(state, "failed", why),
    ...(isSilent ? [notice(state.view, "warning", "Codex ended the turn without an answer.")] : noUpdates),
  ];
  state.messages.turnEnded();
  state.turnId = undefined;
  return updates;
}

function endCompaction(state: CodexState, status: "completed" | "failed", error?: string): Updates {
  const id = state.compactionId;
  state.compactionId = undefined;
  return id === undefined ? noUpdates : compaction(state.view, id, status, error);
}

function usageOf(state: CodexState, { last, modelContextWindow }: TokenUsage): Updates {
  const used = last?.totalTokens;
  if (!isCount(used) || !isCount(modelContextWindow)) return noUpdates;
  const values = `${used} ${modelContextWindow}`;
  if (values === state.lastUsage) return noUpdates;
  state.lastUsage = values;
  return [update.usage(used, modelContextWindow)];
}

function isCount(tokens: number | null | undefined): tokens is number {
  return tokens != null && Number.isSafeInteger(tokens) && tokens >= 0;
}

function planStatus(status: string | null | undefined): "pending" | "in_progress" | "completed" {
  return status === "completed" ? "completed" : status === "inProgress" ? "in_progress" : "pending";
}

/** Raw reasoning comes beside the summaries of the same item and is a message of its own. */
function rawPart(id: string): string {
  return `${id}:raw`;
}
