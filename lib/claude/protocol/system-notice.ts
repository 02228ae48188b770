/**
 * Schemas of `system` events that inform the user: API retries, a change of the model,
 * refusals, hooks, messages of the CLI.
 *
 * None of them is needed to follow the conversation.
 */
import {
  items,
  lenient,
  literal,
  nullable,
  number,
  object,
  oneOf,
  open,
  type Schema,
  type Static,
  string,
  unknown,
} from "../../schema/index.ts";
import { AssistantError } from "./message.ts";
import { commonFields } from "./common-fields.ts";

const apiRetry = object({
  type: literal("system"),
  subtype: literal("api_retry"),
  attempt: lenient(number),
  max_retries: lenient(number),
  retry_delay_ms: lenient(number),
  error_status: lenient(nullable(number)),
  error: lenient(AssistantError),
  no_response: lenient(unknown),
  ...commonFields,
});
export interface SystemApiRetry extends Static<typeof apiRetry> {}
export const SystemApiRetry: Schema<SystemApiRetry> = apiRetry;

/** Another model answers from now on. `content` is a sentence about it for the user. */
const modelChange = object({
  type: literal("system"),
  subtype: oneOf("model_fallback", "model_refusal_fallback", "model_refusal_no_fallback"),
  trigger: lenient(string),
  original_model: lenient(string),
  fallback_model: lenient(string),
  content: lenient(string),
  /** Messages already shown that are retracted. */
  retracted_message_uuids: lenient(items(string)),
  refused_user_message_uuid: lenient(string),
  ...commonFields,
});
export interface SystemModelChange extends Static<typeof modelChange> {}
export const SystemModelChange: Schema<SystemModelChange> = modelChange;

const informational = object({
  type: literal("system"),
  subtype: literal("informational"),
  content: string,
  level: lenient(string),
  ...commonFields,
});
export interface SystemInformational extends Static<typeof informational> {}
export const SystemInformational: Schema<SystemInformational> = informational;

const notification = object({
  type: literal("system"),
  subtype: literal("notification"),
  text: string,
  key: lenient(string),
  priority: lenient(open("low", "medium", "high", "immediate")),
  ...commonFields,
});
export interface SystemNotification extends Static<typeof notification> {}
export const SystemNotification: Schema<SystemNotification> = notification;

const localCommandOutput = object({
  type: literal("system"),
  subtype: literal("local_command_output"),
  content: string,
  ...commonFields,
});
export interface SystemLocalCommandOutput extends Static<typeof localCommandOutput> {}
export const SystemLocalCommandOutput: Schema<SystemLocalCommandOutput> = localCommandOutput;

/** A rule or a mode denied a tool call without a question to the user. */
const permissionDenied = object({
  type: literal("system"),
  subtype: literal("permission_denied"),
  tool_name: lenient(string),
  tool_use_id: lenient(string),
  decision_reason_type: lenient(string),
  message: lenient(string),
  ...commonFields,
});
export interface SystemPermissionDenied extends Static<typeof permissionDenied> {}
export const SystemPermissionDenied: Schema<SystemPermissionDenied> = permissionDenied;

const hookEvent = object({
  type: literal("system"),
  subtype: oneOf("hook_started", "hook_progress", "hook_response"),
  hook_id: lenient(string),
  hook_name: lenient(string),
  hook_event: lenient(string),
  output: lenient(string),
  stdout: lenient(string),
  stderr: lenient(string),
  exit_code: lenient(number),
  outcome: lenient(string),
  ...commonFields,
});
export interface SystemHook extends Static<typeof hookEvent> {}
export const SystemHook: Schema<SystemHook> = hookEvent;

const thinkingTokens = object({
  type: literal("system"),
  subtype: literal("thinking_tokens"),
  estimated_tokens: lenient(number),
  estimated_tokens_delta: lenient(number),
  ...commonFields,
});
export interface SystemThinkingTokens extends Static<typeof thinkingTokens> {}
export const SystemThinkingTokens: Schema<SystemThinkingTokens> = thinkingTokens;

const controlRequestProgress = object({
  type: literal("system"),
  subtype: literal("control_request_progress"),
  request_id: lenient(string),
  status: lenient(string),
  ...commonFields,
});
export interface SystemControlRequestProgress extends Static<typeof controlRequestProgress> {}
export const SystemControlRequestProgress: Schema<SystemControlRequestProgress> = controlRequestProgress;

/** Subtypes that are known by name and that the host ignores. Most of them are undocumented. */
const ignoredSubtypes = [
  "elicitation_complete",
  "files_persisted",
  "memory_recall",
  "plugin_install",
  "mirror_error",
  "worker_shutting_down",
  "ui_invalidate",
  "turn_duration",
  "turn_preempted",
  "stop_hook_summary",
  "session_metadata",
  "post_turn_summary",
  "task_summary",
  "away_summary",
  "permission_retry",
  "permission_check_status",
  "per_turn_effort_changed",
  "model_consent_fallback",
  "memory_saved",
  "instruction_size_warning",
  "file_snapshot",
  "file_attachments_missing",
  "vcs_state_changed",
  "code_change_published",
  "scheduled_task_fire",
  "peer_message_hold",
  "api_error",
  "agents_killed",
] as const;
type IgnoredSubtype = (typeof ignoredSubtypes)[number];

const ignored = object({ type: literal("system"), subtype: oneOf(...ignoredSubtypes), ...commonFields });
export interface SystemIgnored extends Static<typeof ignored> {}
export const SystemIgnored: Schema<SystemIgnored> = ignored;

export const noticeVariants = {
  api_retry: apiRetry,
  model_fallback: modelChange,
  model_refusal_fallback: modelChange,
  model_refusal_no_fallback: modelChange,
  informational,
  notification,
  local_command_output: localCommandOutput,
  permission_denied: permissionDenied,
  hook_started: hookEvent,
  hook_progress: hookEvent,
  hook_response: hookEvent,
  thinking_tokens: thinkingTokens,
  control_request_progress: controlRequestProgress,
  // The same schema under each of its subtypes, so the keys are exactly the subtypes.
  ...(Object.fromEntries(ignoredSubtypes.map((name) => [name, ignored])) as Readonly<
    Record<IgnoredSubtype, typeof ignored>
  >),
} as const;

export type NoticeEvent =
  | SystemApiRetry
  | SystemModelChange
  | SystemInformational
  | SystemNotification
  | SystemLocalCommandOutput
  | SystemPermissionDenied
  | SystemHook
  | SystemThinkingTokens
  | SystemControlRequestProgress
  | SystemIgnored;
