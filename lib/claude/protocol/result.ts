/**
 * Schema of the `result` event, with which the CLI ends a turn.
 *
 * The CLI reports most API failures as `subtype: "success"` with `is_error`, so judge a
 * result by `is_error`, `terminal_reason` and `stop_reason` together. Only the type is
 * required, because an unreadable result would leave its prompt without an answer.
 */
import {
  boolean,
  items,
  lenient,
  literal,
  nullable,
  number,
  object,
  open,
  record,
  type Schema,
  type Static,
  string,
  unknown,
} from "../../schema/index.ts";
import { ClaudeUsage } from "./content.ts";
import { commonFields } from "./common-fields.ts";

export type ResultSubtype = Static<typeof ResultSubtype>;
export const ResultSubtype = open(
  "success",
  "error_during_execution",
  "error_max_turns",
  "error_max_budget_usd",
  "error_max_structured_output_retries",
);

export type TerminalReason = Static<typeof TerminalReason>;
export const TerminalReason = open(
  "completed",
  "aborted_streaming",
  "aborted_tools",
  "max_turns",
  "budget_exhausted",
  "api_error",
  "prompt_too_long",
  "blocking_limit",
  "rapid_refill_breaker",
  "image_error",
  "model_error",
  "malformed_tool_use_exhausted",
  "stop_hook_prevented",
  "hook_stopped",
  "tool_deferred",
  "tool_deferred_unavailable",
  "background_requested",
  "structured_output_retry_exhausted",
  "turn_setup_failed",
);

/** Totals of one model since the CLI process started. */
const modelUsage = object({
  inputTokens: lenient(number),
  outputTokens: lenient(number),
  cacheReadInputTokens: lenient(number),
  cacheCreationInputTokens: lenient(number),
  costUSD: lenient(number),
  contextWindow: lenient(number),
  maxOutputTokens: lenient(number),
});
export interface ClaudeModelUsage extends Static<typeof modelUsage> {}
export const ClaudeModelUsage: Schema<ClaudeModelUsage> = modelUsage;

const permissionDenial = object({
  tool_name: lenient(string),
  tool_use_id: lenient(string),
  tool_input: lenient(unknown),
});
export interface PermissionDenial extends Static<typeof permissionDenial> {}
export const PermissionDenial: Schema<PermissionDenial> = permissionDenial;

/** What caused a turn: the user, or a background task that finished. */
const origin = object({ kind: lenient(string) });
export interface Origin extends Static<typeof origin> {}
export const Origin: Schema<Origin> = origin;

const result = object({
  type: literal("result"),
  subtype: lenient(ResultSubtype),
  is_error: lenient(boolean),
  /** The last text of the answer, or a message to the user about a failure. */
  result: lenient(string),
  stop_reason: lenient(nullable(string)),
  terminal_reason: lenient(nullable(TerminalReason)),
  /** After an interrupt these are diagnostics, not meant for the user. */
  errors: lenient(items(string)),
  api_error_status: lenient(nullable(number)),
  api_error_type: lenient(nullable(string)),
  startup_failure_reason: lenient(nullable(string)),
  num_turns: lenient(number),
  duration_ms: lenient(number),
  duration_api_ms: lenient(number),
  /** Total since the CLI process started. */
  total_cost_usd: lenient(number),
  /** Usage of this turn without subagents. */
  usage: lenient(ClaudeUsage),
  modelUsage: lenient(record(ClaudeModelUsage)),
  permission_denials: lenient(items(PermissionDenial)),
  structured_output: lenient(unknown),
  /** The name of the slash command that ran instead of the model. */
  local_command: lenient(string),
  origin: lenient(Origin),
  user_message_uuid: lenient(nullable(string)),
  /** The uuids of the prompts this turn answers. Empty or missing when no prompt caused the turn. */
  user_message_uuids: lenient(items(string)),
  queued_turn_count: lenient(number),
  result_index: lenient(number),
  ...commonFields,
});
export interface Result extends Static<typeof result> {}
export const Result: Schema<Result> = result;

export const resultVariants = { result } as const;
