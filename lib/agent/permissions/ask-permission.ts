/**
 * Asks the user for a permission with `session/request_permission`.
 *
 * Fails closed: an error, a cancelled request and a closed connection give the decision
 * `unanswered`, an option that was not offered `rejected`. Several requests may be open
 * at once and do not wait for each other.
 */
import type { AgentConnection } from "../../acp/index.ts";
import type { PermissionQuestion } from "../../engine/index.ts";

export interface AskContext {
  readonly client: AgentConnection;
  readonly sessionId: () => string;
  readonly engineName: string;
  readonly onBug: (doing: string, cause: unknown) => void;
}

export async function askPermission<Decision>(
  { toolCall, choices, rejected, unanswered }: PermissionQuestion<Decision>,
  signal: AbortSignal,
  { client, sessionId, onBug }: AskContext,
): Promise<Decision> {
  const options = choices.map(({ option }) => option);
  try {
    const request = { sessionId: sessionId(), toolCall, options };
    const { outcome } = await client.call("session/request_permission", request, { signal });
    if (outcome.outcome !== "selected") return unanswered;
    const { optionId } = outcome;
    const choice = choices.find(({ option }) => option.optionId === optionId);
    return choice === undefined ? rejected : choice.decision;
  } catch (cause) {
    if (!signal.aborted) onBug("session/request_permission", cause);
    return unanswered;
  }
}
