/**
 * Answers to permission requests that are the same for every engine.
 */
import { type PermissionOption, permissionOption } from "../acp/index.ts";
import { titleLine } from "./client-view.ts";

/** The label of the answer that carries out a plan in a cleared conversation. */
export const clearedPlanLabel = "Yes, and clear the conversation and accept edits without asking";

/** The answer that rejects a call and everything like it for the rest of the session. `what`: in words. */
export function neverOption(what: string): PermissionOption {
  return permissionOption("reject_always", "reject_always", titleLine(`Never allow ${what} in this session`));
}
