/**
 * Answers the CLI's `can_use_tool` by asking the user with `session/request_permission`.
 *
 * Fails closed: an error, a cancelled request, an option that was not offered and a
 * closed connection all deny the call. Several requests may be open at once and do not
 * wait for each other.
 */
import type { AgentConnection } from "../../acp/index.ts";
import type { CanUseTool, ToolDecision } from "../../claude/index.ts";
import { askedToolCall, decisionOf, permissionChoices, unanswered } from "../../claude/translate/index.ts";
import { type ClientView } from "../../display/index.ts";
import { askQuestions } from "./ask-questions.ts";

export interface AskContext {
  readonly client: AgentConnection;
  readonly sessionId: string;
  readonly view: ClientView;
  /** Sends the pending updates, so that the client shows them before the request. */
  readonly flush: () => void;
  /** The user allowed the tool call. */
  readonly onAllowed: (toolCallId: string) => void;
  /** The user chose an option that ends the turn. */
  readonly onStopped: () => void;
  readonly onBug: (cause: unknown) => void;
}

export async function askPermission(
  request: CanUseTool,
  signal: AbortSignal,
  context: AskContext,
): Promise<ToolDecision> {
  const { client, sessionId, view } = context;
  context.flush();
  const toolCallId = request.tool_use_id ?? crypto.randomUUID();
  try {
    if (request.tool_name === "AskUserQuestion") return await askQuestions(request, toolCallId, signal, context);
    const offers = permissionChoices(request, view);
    const options = offers.map(({ option }) => option);
    const toolCall = askedToolCall(request, toolCallId, view);
    const { outcome } = await client.call("session/request_permission", { sessionId, toolCall, options }, { signal });
    const decision = outcome.outcome === "selected" ? decisionOf(offers, outcome.optionId) : unanswered;
    if (decision.behavior === "allow") context.onAllowed(toolCallId);
    else if (decision.interrupt === true && outcome.outcome === "selected") context.onStopped();
    return decision;
  } catch (cause) {
    if (!signal.aborted) context.onBug(cause);
    return unanswered;
  }
}
