/**
 * `fold`: translates one notification of `codex app-server` into the ACP session updates
 * that the client gets.
 *
 * The only path from Codex to ACP. Loaded history (`foldHistory`) goes through the same functions
 * for items (fold-item.ts), so it looks as the live turns did. Changes the `CodexState` and nothing
 * else, and must not depend on a client, a logger or a clock.
 */
import { addUsage, type TurnUsage } from "../../engine/index.ts";
import { planEntry, update } from "../../acp/index.ts";
import { compaction, notice, type Updates } from "../../display/index.ts";
import { type CodexNotification, threadIdOf, type TokenUsage, type CodexTurn } from "../protocol/index.ts";
import { adoptAgent, foldAgentTurnEnd } from "./agents.ts";
import {
  endCompaction,
  foldCallCompleted,
  foldCallStarted,
  foldCompleted,
  foldReviewed,
  foldStarted,
  rawPart,
} from "./fold-item.ts";
import { foldPrompt } from "./history-prompt.ts";
import { mcpServerNotice, retryNotice, warningNotice } from "./notices.ts";
import type { CodexState } from "./state/codex-state.ts";

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
export function foldHistory(state: CodexState, turn: CodexTurn): Updates {
  const { threadId } = state;
  const updates = (turn.items ?? []).flatMap((item): Updates => {
    if (item.type === "userMessage") return foldPrompt(item, state.view.keepsSharedContext);
    if (item.type === "contextCompaction") return compaction(state.view, item.id, "completed");
    return [...foldStarted(state, item, threadId), ...foldCompleted(state, item, threadId)];
  });
  const agents = turn.status === "completed" ? [...state.agents.values()] : [];
  const reported = agents.flatMap((id) => (id === undefined ? [] : state.calls.end(id, { status: "completed" })));
  const ended = foldEnd(state, turn.status === "interrupted" ? "Cancelled." : "It did not run to its end.");
  // The user is not asked about a plan of the history.
  state.proposedPlan = undefined;
  return [...updates, ...reported, ...ended];
}

/** Of an agent only its calls are shown. */
function foldAgent(state: CodexState, threadId: string, notification: CodexNotification): Updates {
  if (notification.method === "item/started") return foldCallStarted(state, notification.params.item, threadId);
  if (notification.method === "item/completed") {
    const { item } = notification.params;
    if (item.type === "agentMessage") state.reports.set(threadId, item.text);
    return foldCallCompleted(state, item, threadId);
  }
  if (notification.method === "item/commandExecution/outputDelta") {
    return state.calls.output(notification.params.itemId, notification.params.delta);
  }
  if (notification.method === "item/autoApprovalReview/completed") {
    return foldReviewed(state, notification.params.targetItemId, notification.params.review?.status);
  }
  return notification.method === "turn/completed"
    ? foldAgentTurnEnd(state, threadId, notification.params.turn)
    : noUpdates;
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
      // Codex repeats the count when a stream breaks: only a response adds to it.
      if (addsToTotal(state, notification.params.tokenUsage)) {
        messages.responded();
        state.turnUsage = addUsage(state.turnUsage, responseUsage(notification.params.tokenUsage.last));
      }
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
        : [
            notice(
              view,
              "warning",
              `Codex answers with ${toModel}${fromModel == null ? "" : ` instead of ${fromModel}`}.`,
            ),
          ];
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
    case "account/rateLimits/updated":
      state.limits.take(notification.params.rateLimits);
      // Codex notifies all conversations of the app-server; the one with a running turn shows it.
      return state.turnId === undefined ? noUpdates : [...state.limits.notices(view), ...usageUpdate(state)];
    // Not shown. `patchUpdated` is an unfinished patch with relative paths, and comes only with a feature that is
    // off by default; `item/started` and `item/completed` have the whole patch. What these notifications change in
    // the conversation or the app-server is done in lib/codex/engine and lib/codex/app-server.
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
    case "skills/changed":
    case "unknown":
      return noUpdates;
  }
}

function foldTurnStarted(state: CodexState, turn: CodexTurn): Updates {
  // The turn of a review has an id of its own; its end has the id of the root.
  state.turnId = turn.rootTurnId ?? turn.id;
  state.proposedPlan = undefined;
  state.hasShown = false;
  state.lastRetry = "";
  return noUpdates;
}

function foldTurnCompleted(state: CodexState, turn: CodexTurn, threadId: string): Updates {
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

function usageOf(state: CodexState, { last, total, modelContextWindow }: TokenUsage): Updates {
  const used = last?.totalTokens;
  const { tokens } = responseUsage(total) ?? {};
  if (tokens !== undefined) {
    const { inputTokens, outputTokens, cachedReadTokens } = tokens;
    state.total = { inputTokens, outputTokens, cachedReadTokens: cachedReadTokens ?? 0, cachedWriteTokens: 0 };
  }
  if (!isCount(used) || !isCount(modelContextWindow)) return noUpdates;
  state.context = { used, size: modelContextWindow };
  return usageUpdate(state);
}

/** The context and the limits of the account, unless the client knows them. */
function usageUpdate(state: CodexState): Updates {
  const { context, limits } = state;
  if (context === undefined) return noUpdates;
  const values = JSON.stringify([context, limits.all]);
  if (values === state.lastUsage) return noUpdates;
  state.lastUsage = values;
  const whole = update.usage(context.used, context.size);
  return [limits.all.length === 0 ? whole : { ...whole, _meta: { limits: limits.all } }];
}

/** The tokens of one response of the API. Codex counts cached tokens as input too, ACP apart from it. */
function responseUsage(last: TokenUsage["last"]): TurnUsage | undefined {
  const { totalTokens, inputTokens, cachedInputTokens, outputTokens, reasoningOutputTokens } = last ?? {};
  if (!isCount(totalTokens) || !isCount(inputTokens) || !isCount(outputTokens)) return undefined;
  const cached = isCount(cachedInputTokens) ? Math.min(cachedInputTokens, inputTokens) : 0;
  return {
    tokens: {
      totalTokens,
      inputTokens: inputTokens - cached,
      outputTokens,
      cachedReadTokens: cached,
      ...(isCount(reasoningOutputTokens) && { thoughtTokens: reasoningOutputTokens }),
    },
  };
}

function addsToTotal(state: CodexState, { total }: TokenUsage): boolean {
  const tokens = total?.totalTokens;
  if (isCount(tokens) && tokens === state.lastTotal) return false;
  state.lastTotal = tokens ?? undefined;
  return true;
}

function isCount(tokens: number | null | undefined): tokens is number {
  return tokens != null && Number.isSafeInteger(tokens) && tokens >= 0;
}

function planStatus(status: string | null | undefined): "pending" | "in_progress" | "completed" {
  return status === "completed" ? "completed" : status === "inProgress" ? "in_progress" : "pending";
}
