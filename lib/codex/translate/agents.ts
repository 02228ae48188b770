/**
 * Subagents: their threads, their calls below one call, and their reports.
 *
 * Text of a subagent is not shown, because agents run in parallel and their text would mix
 * with that of the conversation. The last message of an agent is the result of its call.
 */
import type { Updates } from "../../display/index.ts";
import { toolContent } from "../../acp/index.ts";
import type { CollabAgentToolCallItem, SubAgentActivityItem, CodexTurn } from "../protocol/index.ts";
import { agentView } from "./calls/subagent.ts";
import type { CodexState } from "./state/codex-state.ts";

const noUpdates: Updates = [];

/** An agent with its own thread has started or ended. */
export function foldAgentActivity(
  state: CodexState,
  item: SubAgentActivityItem,
  threadId: string | undefined,
): Updates {
  const { id, kind, agentThreadId } = item;
  if (kind === "completed") return endAgent(state, agentThreadId, "completed");
  if (kind !== "started" || state.calls.hasEnded(id)) return noUpdates;
  state.agents.set(agentThreadId, id);
  return state.calls.begin(id, agentView(item), { threadId, item, parent: parentOf(state, threadId) });
}

/** A call of the tools for agents is complete: its agents are known, and perhaps their reports. */
export function foldAgentCall(state: CodexState, item: CollabAgentToolCallItem): Updates {
  const receivers = item.receiverThreadIds ?? [];
  if (item.tool === "spawnAgent") {
    if (item.status !== "completed") return state.calls.end(item.id, { status: "failed" });
    for (const threadId of receivers) state.agents.set(threadId, item.id);
    return noUpdates;
  }
  const ended = Object.entries(item.agentsStates ?? {}).flatMap(([threadId, { status, message }]) => {
    if (message != null && message !== "" && !state.reports.has(threadId)) state.reports.set(threadId, message);
    if (status !== "completed" && status !== "errored" && status !== "shutdown") return noUpdates;
    return endAgent(state, threadId, status === "completed" ? "completed" : "failed");
  });
  return ended;
}

/** A turn of a thread that no item has named yet: its root is our turn, so it is an agent's. */
export function adoptAgent(state: CodexState, threadId: string, turn: CodexTurn): void {
  if (state.threadId === undefined || threadId === state.threadId || state.agents.has(threadId)) return;
  if (turn.rootTurnId == null || turn.rootTurnId !== state.turnId) return;
  const spawning = state.calls.openItems.findLast(
    (item) => item.type === "collabAgentToolCall" && item.tool === "spawnAgent",
  );
  state.agents.set(threadId, spawning?.type === "collabAgentToolCall" ? spawning.id : undefined);
}

/** The turn of an agent has ended: its calls are closed and its own call ends with its report. */
export function foldAgentTurnEnd(state: CodexState, threadId: string, turn: CodexTurn): Updates {
  const isOk = turn.status === "completed";
  return [
    ...state.calls.turnEnded(threadId, isOk ? "It did not run to its end." : "Cancelled.", false),
    ...endAgent(state, threadId, isOk ? "completed" : "failed"),
  ];
}

/** The call of the agent whose thread this is. */
export function parentOf(state: CodexState, threadId: string | undefined): string | undefined {
  return threadId === undefined ? undefined : state.agents.get(threadId);
}

function endAgent(state: CodexState, threadId: string, status: "completed" | "failed"): Updates {
  const id = state.agents.get(threadId);
  if (id === undefined) return noUpdates;
  const report = state.reports.get(threadId);
  state.reports.delete(threadId);
  return state.calls.end(id, { status, ...(report !== undefined && { content: [toolContent.block(report)] }) });
}
