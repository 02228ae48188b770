/**
 * `turnEndOf`: a table of results and the stop reason or failure of each.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { AssistantError, Result } from "../../../lib/claude/index.ts";
import { turnEndOf, failureOf } from "../../../lib/claude/translate/index.ts";

type Row = readonly [situation: string, result: Partial<Result>, error: AssistantError | undefined, end: string];

const failed = {
  subtype: "success",
  is_error: true,
  terminal_reason: "api_error",
  stop_reason: "stop_sequence",
} as const;

const rows: readonly Row[] = [
  [
    "normal",
    { subtype: "success", is_error: false, terminal_reason: "completed", stop_reason: "end_turn" },
    undefined,
    "end_turn",
  ],
  ["four times max_tokens", failed, "max_output_tokens", "max_tokens"],
  [
    "max_tokens at the very end",
    { subtype: "success", is_error: false, terminal_reason: "completed", stop_reason: "max_tokens" },
    undefined,
    "max_tokens",
  ],
  ["refusal", { ...failed, stop_reason: "refusal" }, "invalid_request", "refusal"],
  [
    "pause_turn",
    { subtype: "success", is_error: false, terminal_reason: "completed", stop_reason: "pause_turn" },
    undefined,
    "end_turn",
  ],
  [
    "interrupt of text",
    { subtype: "error_during_execution", is_error: true, terminal_reason: "aborted_streaming", stop_reason: null },
    undefined,
    "cancelled",
  ],
  [
    "interrupt of a tool",
    { subtype: "error_during_execution", is_error: true, terminal_reason: "aborted_tools", stop_reason: "tool_use" },
    undefined,
    "cancelled",
  ],
  [
    "preempted",
    { subtype: "success", is_error: false, terminal_reason: "aborted_streaming", stop_reason: null },
    undefined,
    "cancelled",
  ],
  [
    "--max-turns",
    { subtype: "error_max_turns", is_error: true, terminal_reason: "max_turns", stop_reason: "tool_use" },
    undefined,
    "max_turn_requests",
  ],
  ["--max-turns of an older CLI", { subtype: "error_max_turns", is_error: true }, undefined, "max_turn_requests"],
  [
    "--max-budget-usd",
    { subtype: "error_max_budget_usd", is_error: true, terminal_reason: "budget_exhausted" },
    undefined,
    "max_turn_requests",
  ],
  ["prompt too long", { ...failed, terminal_reason: "prompt_too_long" }, "invalid_request", "max_tokens"],
  ["401", failed, "authentication_failed", "failed: not_signed_in"],
  ["organisation not allowed", failed, "oauth_org_not_allowed", "failed: not_signed_in"],
  ["429", failed, "rate_limit", "failed: limit"],
  ["no credit", failed, "billing_error", "failed: limit"],
  ["500", failed, "server_error", "failed: api"],
  ["529", failed, "overloaded", "failed: api"],
  ["404", failed, "model_not_found", "failed: api"],
  ["400", failed, "unknown", "failed: api"],
  ["a failure that names no error", failed, undefined, "failed: other"],
  [
    "structured output exhausted",
    {
      subtype: "error_max_structured_output_retries",
      is_error: true,
      terminal_reason: "structured_output_retry_exhausted",
    },
    undefined,
    "failed: other",
  ],
  ["an error of the run itself", { subtype: "error_during_execution" }, undefined, "failed: other"],
  ["a slash command", { subtype: "success", is_error: false, stop_reason: null }, undefined, "end_turn"],
  ["a result that says nothing", {}, undefined, "end_turn"],
];

describe("turnEndOf", () => {
  for (const [situation, result, error, expected] of rows) {
    it(`${situation} ends the turn as ${expected}`, () => {
      const end = turnEndOf({ type: "result", ...result }, error);
      assert.equal(end.kind === "stopped" ? end.stopReason : `failed: ${end.failure}`, expected);
    });
  }

  it("the text of a failure is the CLI's message and never its diagnostics", () => {
    const words = (result: Partial<Result>): string => {
      const end = turnEndOf({ type: "result", is_error: true, ...result }, undefined);
      return end.kind === "failed" ? end.text : "";
    };
    assert.equal(words({ result: " API Error: 500 " }), "API Error: 500");
    assert.equal(words({ errors: ["[ede_diagnostic] x", "No conversation found"] }), "No conversation found");
    assert.equal(words({ errors: ["[ede_diagnostic] x"] }), "the turn failed without saying why");
  });
});

describe("failureOf", () => {
  it("failureOf classifies an unknown error as an API failure", () => {
    assert.equal(failureOf("something_new"), "api");
  });
});
