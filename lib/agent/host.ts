/**
 * Host: who answers the CLI's own questions in a session.
 */
import type { HostHandlers } from "../claude/index.ts";
import type { EditorTools } from "./editor-tools.ts";
import { passElicitation } from "./elicitations.ts";
import { type Asking, askPermission } from "./permissions.ts";

export function hostHandlers(tools: EditorTools, asking: Asking): HostHandlers {
  return {
    ...tools.handlers((request, signal) => askPermission(request, signal, asking)),
    elicitation: (request, signal) => passElicitation(request, signal, asking.client, asking.sessionId),
  };
}
