/**
 * Host: who answers the CLI's own questions in a session.
 */
import type { HostHandlers } from "../claude/index.ts";
import type { Outfit } from "./editor-tools.ts";
import { passElicitation } from "./elicitations.ts";
import { type Asking, askPermission } from "./permissions.ts";

export function hostHandlers(outfit: Outfit, asking: Asking): HostHandlers {
  return {
    ...outfit.handlers((request, signal) => askPermission(request, signal, asking)),
    elicitation: (request, signal) => passElicitation(request, signal, asking.client, asking.sessionId),
  };
}
