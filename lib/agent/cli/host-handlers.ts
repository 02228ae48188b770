/**
 * Host: who answers the CLI's own questions in a session.
 */
import type { HostHandlers } from "../../claude/index.ts";
import type { CliSetup } from "../editor-tools/editor-tools.ts";
import { forwardElicitation } from "../permissions/forward-elicitation.ts";
import { type AskContext, askPermission } from "../permissions/ask-permission.ts";

export function hostHandlers(setup: CliSetup, asking: AskContext): HostHandlers {
  return {
    ...setup.handlers((request, signal) => askPermission(request, signal, asking)),
    elicitation: (request, signal) => forwardElicitation(request, signal, asking.client, asking.sessionId),
  };
}
