/**
 * Translates the result of a turn into an ACP stop reason or a failure.
 *
 * The CLI reports most API failures as a success with `is_error`, so `terminal_reason` and
 * the error of the last message decide, never the subtype alone.
 */
import type { StopReason } from "../../acp/index.ts";
import type { AssistantError, Result } from "../index.ts";
import { isDiagnostic } from "./cli-markup.ts";

/** The kinds of failure, by what the user can do about them. */
export type FailureKind = "not_signed_in" | "limit" | "api" | "other";

export type ClaudeTurnEnd =
  | { readonly kind: "stopped"; readonly stopReason: StopReason }
  | { readonly kind: "failed"; readonly failure: FailureKind; readonly text: string };

/** Values of `terminal_reason` and `subtype` that are ACP stop reasons, whatever else the result says. */
const stops: ReadonlyMap<unknown, StopReason> = new Map([
  ["aborted_streaming", "cancelled"],
  ["aborted_tools", "cancelled"],
  ["max_turns", "max_turn_requests"],
  ["budget_exhausted", "max_turn_requests"],
  ["error_max_turns", "max_turn_requests"],
  ["error_max_budget_usd", "max_turn_requests"],
  ["prompt_too_long", "max_tokens"],
]);

const failures: ReadonlyMap<unknown, FailureKind> = new Map([
  ["authentication_failed", "not_signed_in"],
  ["oauth_org_not_allowed", "not_signed_in"],
  ["account_on_hold", "not_signed_in"],
  ["verification_required", "not_signed_in"],
  ["rate_limit", "limit"],
  ["billing_error", "limit"],
]);

/** The stop reason or the failure of a turn, from its result and the error of its last message. */
export function turnEndOf(result: Result, error: AssistantError | undefined): ClaudeTurnEnd {
  if (result.stop_reason === "refusal") return stopped("refusal");
  const stop = stops.get(result.terminal_reason) ?? stops.get(result.subtype);
  if (stop !== undefined) return stopped(stop);
  if (error === "max_output_tokens") return stopped("max_tokens");
  if (result.is_error === true || result.subtype === "error_during_execution") {
    return { kind: "failed", failure: failureOf(error), text: textOf(result) };
  }
  return stopped(result.stop_reason === "max_tokens" ? "max_tokens" : "end_turn");
}

/** The kind of failure for the error of the last message. */
export function failureOf(error: AssistantError | undefined): FailureKind {
  return error === undefined ? "other" : (failures.get(error) ?? "api");
}

function textOf({ result, errors }: Result): string {
  const texts = [result ?? "", ...(errors ?? []).filter((text) => !isDiagnostic(text))];
  return texts.find((text) => text.trim() !== "")?.trim() ?? "the turn failed without saying why";
}

function stopped(stopReason: StopReason): ClaudeTurnEnd {
  return { kind: "stopped", stopReason };
}
