/**
 * Forwards an elicitation of an MCP server from the CLI to the client.
 *
 * Declines what the client cannot show: a URL or form mode that it does not support,
 * or a form whose schema is not valid in ACP.
 */
import { type AgentConnection, ElicitationSchema, isElicitationAccepted } from "../../acp/index.ts";
import type { Elicitation, ElicitationAnswer } from "../../claude/index.ts";
import { Fault, markInvisible } from "../../schema/index.ts";

const declined: ElicitationAnswer = { action: "decline" };

export async function forwardElicitation(
  asked: Elicitation,
  signal: AbortSignal,
  client: AgentConnection,
  sessionId: string,
): Promise<ElicitationAnswer> {
  const { form, url } = client.clientCapabilities.elicitation ?? {};
  const message = markInvisible(`${asked.mcp_server_name}: ${asked.message}`);
  if (asked.mode === "url") {
    if (url == null || asked.url === undefined) return declined;
    const elicitationId = asked.elicitation_id ?? crypto.randomUUID();
    const request = { mode: "url", message, sessionId, elicitationId, url: asked.url } as const;
    const { action } = await client.call("elicitation/create", request, { signal });
    return { action: action === "accept" ? "accept" : action === "cancel" ? "cancel" : "decline" };
  }
  const requestedSchema = ElicitationSchema.read(asked.requested_schema ?? { type: "object", properties: {} });
  if (form == null || requestedSchema instanceof Fault) return declined;
  const response = await client.call(
    "elicitation/create",
    { mode: "form", message, sessionId, requestedSchema },
    { signal },
  );
  if (!isElicitationAccepted(response)) return { action: response.action === "cancel" ? "cancel" : "decline" };
  return { action: "accept", content: { ...response.content } };
}
