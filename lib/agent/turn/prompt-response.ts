/**
 * The response to `session/prompt`: the stop reason, the tokens of the turn, and its cost in
 * `_meta.cost`, in the form of the cost of a `usage_update`.
 */
import type { PromptResponse } from "../../acp/index.ts";
import type { TurnEnd } from "../../engine/index.ts";

export type StoppedTurn = Extract<TurnEnd, { readonly kind: "stopped" }>;

export function promptResponse({ stopReason, usage }: StoppedTurn): PromptResponse {
  return {
    stopReason,
    ...(usage?.tokens !== undefined && { usage: usage.tokens }),
    ...(usage?.cost !== undefined && { _meta: { cost: usage.cost } }),
  };
}
