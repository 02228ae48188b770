/**
 * Forwards a form or a link of an MCP server to the client.
 *
 * Declines what the client cannot show: a URL or form mode that it does not support,
 * or a form whose schema is not valid in ACP.
 */
import { ElicitationSchema, isElicitationAccepted } from "../../acp/index.ts";
import type { ElicitationAnswer, ElicitationQuestion } from "../../engine/index.ts";
import { Fault, markInvisible } from "../../schema/index.ts";
import type { AskContext } from "./ask-permission.ts";

const declined: ElicitationAnswer = { action: "decline" };

export async function forwardElicitation(
  asked: ElicitationQuestion,
  signal: AbortSignal,
  { client, sessionId: id }: AskContext,
): Promise<ElicitationAnswer> {
  const { form, url } = client.clientCapabilities.elicitation ?? {};
  const message = markInvisible(asked.message);
  const sessionId = id();
  if (asked.kind === "url") {
    if (url == null) return declined;
    const elicitationId = asked.id ?? crypto.randomUUID();
    const request = { mode: "url", message, sessionId, elicitationId, url: asked.url } as const;
    const { action } = await client.call("elicitation/create", request, { signal });
    return { action: action === "accept" ? "accept" : action === "cancel" ? "cancel" : "decline" };
  }
  const requestedSchema = ElicitationSchema.read(asked.schema);
  if (form == null || requestedSchema instanceof Fault) return declined;
  const response = await client.call(
    "elicitation/create",
    { mode: "form", message, sessionId, requestedSchema },
    { signal },
  );
  if (!isElicitationAccepted(response)) return { action: response.action === "cancel" ? "cancel" : "decline" };
  return { action: "accept", content: { ...response.content } };
}
