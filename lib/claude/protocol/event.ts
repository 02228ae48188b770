/**
 * `ClaudeEvent`: the schema of one line of the CLI's output.
 *
 * Keys keep their wire names and keys not named here pass through, so an event is also the
 * raw message. A line that cannot be read becomes an `Unknown`, never an error.
 */
import {
  boolean,
  isRecord,
  items,
  lenient,
  literal,
  nullable,
  number,
  object,
  oneOf,
  open,
  record,
  type Schema,
  type Static,
  string,
  tagged,
} from "../../schema/index.ts";
import {
  type ControlCancelRequest,
  type ControlRequest,
  type ControlResponse,
  controlVariants,
} from "../control/frames.ts";
import { type Assistant, messageVariants, type StreamEvent, type User } from "./message.ts";
import { type NoticeEvent, noticeVariants } from "./system-notice.ts";
import { type Result, resultVariants } from "./result.ts";
import { type SessionEvent, sessionVariants } from "./system-session.ts";
import { commonFields } from "./common-fields.ts";
import { type TaskEvent, taskVariants } from "./system-task.ts";
import { nameUnder, orUnknown, type Unknown } from "../unknown.ts";

/** The progress of a prompt that we sent: `command_uuid` is the uuid of the prompt. */
const commandLifecycle = object({
  type: literal("command_lifecycle"),
  command_uuid: string,
  state: open("queued", "started", "completed", "cancelled"),
  ...commonFields,
});
export interface CommandLifecycle extends Static<typeof commandLifecycle> {}
export const CommandLifecycle: Schema<CommandLifecycle> = commandLifecycle;

const toolProgress = object({
  type: literal("tool_progress"),
  /** The id of the call. A heartbeat has an id of its own here, and the call's in `parent_tool_use_id`. */
  tool_use_id: lenient(string),
  parent_tool_use_id: lenient(nullable(string)),
  tool_name: lenient(string),
  elapsed_time_seconds: lenient(number),
  heartbeat: lenient(boolean),
  ...commonFields,
});
export interface ToolProgress extends Static<typeof toolProgress> {}
export const ToolProgress: Schema<ToolProgress> = toolProgress;

const rateLimitInfo = object({
  status: lenient(open("allowed", "allowed_warning", "rejected")),
  /** Unix time in seconds. */
  resetsAt: lenient(number),
  rateLimitType: lenient(string),
  /** 1 when the whole limit is used. */
  utilization: lenient(number),
  /** Each limit of the account. */
  unifiedWindows: lenient(record(object({ utilization: lenient(number), resetsAt: lenient(number) }))),
  isUsingOverage: lenient(boolean),
});
export interface RateLimitInfo extends Static<typeof rateLimitInfo> {}
export const RateLimitInfo: Schema<RateLimitInfo> = rateLimitInfo;

const rateLimitEvent = object({ type: literal("rate_limit_event"), rate_limit_info: RateLimitInfo, ...commonFields });
export interface RateLimitEvent extends Static<typeof rateLimitEvent> {}
export const RateLimitEvent: Schema<RateLimitEvent> = rateLimitEvent;

/** The user ran `/clear`. Later events carry a new session_id, which differs from `new_conversation_id`. */
const conversationReset = object({
  type: literal("conversation_reset"),
  new_conversation_id: lenient(string),
  trigger: lenient(string),
  user_message_uuid: lenient(string),
  ...commonFields,
});
export interface ConversationReset extends Static<typeof conversationReset> {}
export const ConversationReset: Schema<ConversationReset> = conversationReset;

const authStatus = object({
  type: literal("auth_status"),
  isAuthenticating: lenient(boolean),
  output: lenient(items(string)),
  error: lenient(string),
  ...commonFields,
});
export interface AuthStatus extends Static<typeof authStatus> {}
export const AuthStatus: Schema<AuthStatus> = authStatus;

const promptSuggestion = object({ type: literal("prompt_suggestion"), suggestion: lenient(string), ...commonFields });
export interface PromptSuggestion extends Static<typeof promptSuggestion> {}
export const PromptSuggestion: Schema<PromptSuggestion> = promptSuggestion;

const toolUseSummary = object({
  type: literal("tool_use_summary"),
  summary: lenient(string),
  preceding_tool_use_ids: lenient(items(string)),
  ...commonFields,
});
export interface ToolUseSummary extends Static<typeof toolUseSummary> {}
export const ToolUseSummary: Schema<ToolUseSummary> = toolUseSummary;

/** Keep-alive and bookkeeping events that the host ignores. */
const ignoredEvent = object({
  type: oneOf("keep_alive", "active_goal", "autocompact_state", "transcript_mirror"),
  ...commonFields,
});
export interface IgnoredEvent extends Static<typeof ignoredEvent> {}
export const IgnoredEvent: Schema<IgnoredEvent> = ignoredEvent;

const system = tagged("subtype", { ...sessionVariants, ...taskVariants, ...noticeVariants });
export type SystemEvent = SessionEvent | TaskEvent | NoticeEvent;
export const SystemEvent: Schema<SystemEvent> = system;

export type ClaudeEvent =
  | StreamEvent
  | Assistant
  | User
  | Result
  | SystemEvent
  | CommandLifecycle
  | ToolProgress
  | RateLimitEvent
  | ConversationReset
  | AuthStatus
  | PromptSuggestion
  | ToolUseSummary
  | IgnoredEvent
  | ControlRequest
  | ControlResponse
  | ControlCancelRequest
  | Unknown;
export const ClaudeEvent: Schema<ClaudeEvent> = orUnknown(
  tagged("type", {
    ...messageVariants,
    ...resultVariants,
    ...controlVariants,
    system,
    command_lifecycle: commandLifecycle,
    tool_progress: toolProgress,
    rate_limit_event: rateLimitEvent,
    conversation_reset: conversationReset,
    auth_status: authStatus,
    prompt_suggestion: promptSuggestion,
    tool_use_summary: toolUseSummary,
    keep_alive: ignoredEvent,
    active_goal: ignoredEvent,
    autocompact_state: ignoredEvent,
    transcript_mirror: ignoredEvent,
  }),
  nameEvent,
);

/** The name of an event that could not be read, such as `system/new_subtype`: its type and the types inside it. */
function nameEvent(value: unknown): string {
  if (!isRecord(value)) return "";
  const type = nameUnder(value, "type");
  const inner = value["event"];
  const parts = [type, nameUnder(value, "subtype"), nameUnder(inner, "type")];
  if (isRecord(inner)) parts.push(nameUnder(inner["delta"], "type"));
  return parts.filter((part) => part !== "").join("/");
}
