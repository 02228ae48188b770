/**
 * Stop: a turn's result as a stop reason, or as a failure to be told.
 *
 * The CLI calls most API failures a success with `is_error`, so `terminal_reason`
 * and the error of the last message decide, never the subtype alone.
 */
import type { StopReason } from "../acp/index.ts";
import type { AssistantError, Result } from "../claude/index.ts";
import { isDiagnostic } from "./prose.ts";

/** What a person can do about a failure tells its kinds apart. */
export type FailureKind = "sign-in" | "limit" | "api" | "other";

export type TurnEnd =
  | { readonly kind: "stopped"; readonly stopReason: StopReason }
  | { readonly kind: "failed"; readonly failure: FailureKind; readonly text: string };

export function endOf(result: Result, error: AssistantError | undefined): TurnEnd {
  if (result.stop_reason === "refusal") return stopped("refusal");
  switch (result.terminal_reason) {
    case "aborted_streaming":
    case "aborted_tools":
      return stopped("cancelled");
    case "max_turns":
    case "budget_exhausted":
      return stopped("max_turn_requests");
    case "prompt_too_long":
      return stopped("max_tokens");
  }
  if (result.subtype === "error_max_turns" || result.subtype === "error_max_budget_usd") {
    return stopped("max_turn_requests");
  }
  if (error === "max_output_tokens") return stopped("max_tokens");
  if (result.is_error === true || result.subtype === "error_during_execution") {
    return { kind: "failed", failure: failureOf(error), text: textOf(result) };
  }
  return stopped(result.stop_reason === "max_tokens" ? "max_tokens" : "end_turn");
}

/** Errors of a message that end its turn with an error instead of a stop reason. */
export function failureOf(error: AssistantError | undefined): FailureKind {
  switch (error) {
    case "authentication_failed":
    case "oauth_org_not_allowed":
    case "account_on_hold":
    case "verification_required":
      return "sign-in";
    case "rate_limit":
    case "billing_error":
      return "limit";
    case undefined:
      return "other";
    default:
      return "api";
  }
}

function textOf({ result, errors }: Result): string {
  const told = [result ?? "", ...(errors ?? []).filter((text) => !isDiagnostic(text))];
  return told.find((text) => text.trim() !== "")?.trim() ?? "the turn failed without saying why";
}

function stopped(stopReason: StopReason): TurnEnd {
  return { kind: "stopped", stopReason };
}
