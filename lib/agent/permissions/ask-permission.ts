/**
 * Permissions: the CLI asks, the person answers, the CLI is told.
 *
 * Nothing runs that was not allowed: an error, a cancelled question, an option
 * that was never offered and a client that is gone all mean no. Questions may be
 * open side by side and do not wait for each other.
 */
import type { AgentConnection } from "../../acp/index.ts";
import type { CanUseTool, ToolDecision } from "../../claude/index.ts";
import {
  askedToolCall,
  decisionOf,
  permissionChoices,
  unanswered,
  type ClientView,
} from "../../claude/translate/index.ts";
import { askQuestions } from "./ask-questions.ts";

export interface AskContext {
  readonly client: AgentConnection;
  readonly sessionId: string;
  readonly view: ClientView;
  /** Sends what waits, so that the question comes after what led to it. */
  readonly flush: () => void;
  /** A person let the call run. */
  readonly onAllowed: (toolCallId: string) => void;
  /** A person chose to end the turn by their answer. */
  readonly onStopped: () => void;
  readonly onBug: (cause: unknown) => void;
}

export async function askPermission(
  request: CanUseTool,
  signal: AbortSignal,
  asking: AskContext,
): Promise<ToolDecision> {
  const { client, sessionId, view } = asking;
  asking.flush();
  const toolCallId = request.tool_use_id ?? crypto.randomUUID();
  try {
    if (request.tool_name === "AskUserQuestion") return await askQuestions(request, toolCallId, signal, asking);
    const offers = permissionChoices(request, view);
    const options = offers.map(({ option }) => option);
    const toolCall = askedToolCall(request, toolCallId, view);
    const { outcome } = await client.call("session/request_permission", { sessionId, toolCall, options }, { signal });
    const decision = outcome.outcome === "selected" ? decisionOf(offers, outcome.optionId) : unanswered;
    if (decision.behavior === "allow") asking.onAllowed(toolCallId);
    else if (decision.interrupt === true && outcome.outcome === "selected") asking.onStopped();
    return decision;
  } catch (cause) {
    if (!signal.aborted) asking.onBug(cause);
    return unanswered;
  }
}
