/**
 * Answers the CLI's `can_use_tool` and `elicitation` by asking the user.
 *
 * Fails closed: an error, a cancelled request, an option that was not offered and a
 * closed connection all deny the call. Several requests may be open at once and do not
 * wait for each other.
 */
import { type ConversationHost, type FreshStart, planPrompt } from "../../engine/index.ts";
import { textIn } from "../../schema/index.ts";
import type { CanUseTool, Elicitation, ElicitationResult, ToolDecision } from "../index.ts";
import {
  askedToolCall,
  clearedPlan,
  lastingRejection,
  permissionChoices,
  readQuestions,
  rejectedScope,
  rejection,
  unanswered,
} from "../translate/index.ts";

export interface PermissionContext {
  readonly host: ConversationHost;
  readonly view: ConversationHost["view"];
  /** The user allowed the tool call. */
  readonly onAllowed: (toolCallId: string) => void;
  /** The user chose an option that ends the turn. */
  readonly onStopped: () => void;
  /** The user has rejected for the session what this rule of the CLI denies. */
  readonly onRejected: (rule: string) => void;
  /** The user approved a plan, to be carried out in a cleared conversation. */
  readonly onFreshStart: (toolCallId: string, next: FreshStart) => void;
}

export async function decideToolCall(
  request: CanUseTool,
  signal: AbortSignal,
  context: PermissionContext,
): Promise<ToolDecision> {
  const { host, view } = context;
  const toolCallId = request.tool_use_id ?? crypto.randomUUID();
  try {
    const toolCall = askedToolCall(request, toolCallId, view);
    if (request.tool_name === "AskUserQuestion") {
      const questions = readQuestions(request.input);
      const answered = await host.askUser({ toolCall, questions }, signal);
      if (answered.kind === "dismissed") return rejection;
      if (answered.kind === "cancelled") return unanswered;
      return { behavior: "allow", updatedInput: { ...request.input, answers: answered.answers } };
    }
    const choices = permissionChoices(request, view);
    const scope = rejectedScope(request, view);
    const onChosen = (): void => {
      if (scope?.rule !== undefined) context.onRejected(scope.rule);
    };
    const never = scope && { ...scope, decision: lastingRejection, onChosen };
    const decision = await host.ask({ toolCall, choices, rejected: rejection, unanswered, never }, signal);
    const plan = textIn(request.input, "plan");
    if (decision === clearedPlan && plan !== undefined) {
      context.onFreshStart(toolCallId, { prompt: planPrompt(plan), mode: "acceptEdits" });
    } else if (decision.behavior === "allow") context.onAllowed(toolCallId);
    else if (decision.interrupt === true && decision !== unanswered) context.onStopped();
    return decision;
  } catch (cause) {
    host.onBug("can_use_tool", cause);
    return unanswered;
  }
}

/** Forwards an elicitation of an MCP server. A link without an address is declined. */
export async function forwardElicitation(
  asked: Elicitation,
  signal: AbortSignal,
  host: ConversationHost,
): Promise<ElicitationResult> {
  const message = `${asked.mcp_server_name}: ${asked.message}`;
  if (asked.mode === "url") {
    if (asked.url === undefined) return { action: "decline" };
    const { action } = await host.elicit({ kind: "url", message, url: asked.url, id: asked.elicitation_id }, signal);
    return { action };
  }
  const schema = asked.requested_schema ?? { type: "object", properties: {} };
  const answer = await host.elicit({ kind: "form", message, schema }, signal);
  return answer.action === "accept" ? { action: "accept", content: { ...answer.content } } : { action: answer.action };
}
