/**
 * Schemas of the conversation events: `assistant`, `user` and `stream_event`.
 *
 * An `assistant` event carries one finished block of a message of the model. Stream events
 * carry the parts of a message while the model writes it. A `user` event carries tool results,
 * or text that the CLI wrote for the model, or a prompt of the user: in a loaded conversation,
 * and when the CLI repeats the prompts that it has read (`isReplay`).
 */
import {
  array,
  boolean,
  either,
  items,
  lenient,
  literal,
  nullable,
  number,
  object,
  open,
  type Schema,
  type Static,
  string,
  unknown,
} from "../../schema/index.ts";
import { Block, ClaudeUsage } from "./content.ts";
import { commonFields } from "./common-fields.ts";
import { AbandonedBlocks, AnswerEvent } from "./stream-event.ts";

/** The CLI's name for the error that ended a message. */
export type AssistantError = Static<typeof AssistantError>;
export const AssistantError = open(
  "authentication_failed",
  "oauth_org_not_allowed",
  "account_on_hold",
  "verification_required",
  "billing_error",
  "rate_limit",
  "overloaded",
  "invalid_request",
  "model_not_found",
  "server_error",
  "unknown",
  "max_output_tokens",
  "cloud_credential_error",
);

const assistantMessage = object({
  id: lenient(string),
  /** `<synthetic>` when the CLI wrote the message itself. */
  model: lenient(string),
  content: array(Block),
  stop_reason: lenient(nullable(string)),
  usage: lenient(ClaudeUsage),
});
export interface AssistantMessage extends Static<typeof assistantMessage> {}
export const AssistantMessage: Schema<AssistantMessage> = assistantMessage;

/** How a tool call should be named to the user. */
const toolUseMeta = object({
  id: lenient(string),
  display_name: lenient(string),
  server_display_name: lenient(string),
});
export interface ToolUseMeta extends Static<typeof toolUseMeta> {}
export const ToolUseMeta: Schema<ToolUseMeta> = toolUseMeta;

const assistant = object({
  type: literal("assistant"),
  message: AssistantMessage,
  /** The tool call of the subagent that wrote the message; null in the main conversation. */
  parent_tool_use_id: lenient(nullable(string)),
  error: lenient(AssistantError),
  is_api_error_message: lenient(boolean),
  api_error_status: lenient(nullable(number)),
  api_error_type: lenient(nullable(string)),
  /** An interrupt cut the message off. */
  aborted: lenient(boolean),
  supersedes: lenient(unknown),
  agent_id: lenient(string),
  subagent_type: lenient(string),
  task_description: lenient(string),
  request_id: lenient(nullable(string)),
  tool_use_meta: lenient(items(ToolUseMeta)),
  user_message_uuids: lenient(items(string)),
  local_command_run: lenient(unknown),
  timestamp: lenient(string),
  ...commonFields,
});
export interface Assistant extends Static<typeof assistant> {}
export const Assistant: Schema<Assistant> = assistant;

const userMessage = object({ content: either("text or blocks", string, array(Block)) });
export interface UserMessage extends Static<typeof userMessage> {}
export const UserMessage: Schema<UserMessage> = userMessage;

const permissionDecision = object({
  decision: lenient(string),
  source: lenient(string),
  reason_type: lenient(string),
});
export interface PermissionDecision extends Static<typeof permissionDecision> {}
export const PermissionDecision: Schema<PermissionDecision> = permissionDecision;

const toolResultMeta = object({
  id: lenient(string),
  /** Why the tool did not run; missing when it ran. */
  non_execution_kind: lenient(string),
  permission_decision: lenient(PermissionDecision),
});
export interface ToolResultMeta extends Static<typeof toolResultMeta> {}
export const ToolResultMeta: Schema<ToolResultMeta> = toolResultMeta;

const user = object({
  type: literal("user"),
  message: UserMessage,
  parent_tool_use_id: lenient(nullable(string)),
  /** The structured result. Its shape depends on the tool; a failure is a string. */
  tool_use_result: lenient(unknown),
  tool_result_meta: lenient(items(ToolResultMeta)),
  /** The CLI wrote the message for the model; the user did not. */
  isSynthetic: lenient(boolean),
  isReplay: lenient(boolean),
  agent_id: lenient(string),
  subagent_type: lenient(string),
  task_description: lenient(string),
  timestamp: lenient(string),
  ...commonFields,
});
export interface User extends Static<typeof user> {}
export const User: Schema<User> = user;

const streamEvent = object({
  type: literal("stream_event"),
  event: AnswerEvent,
  parent_tool_use_id: lenient(nullable(string)),
  /** The message this event belongs to. */
  api_message_id: lenient(string),
  abandoned_blocks: lenient(AbandonedBlocks),
  user_message_uuids: lenient(items(string)),
  ttft_ms: lenient(number),
  ...commonFields,
});
export interface StreamEvent extends Static<typeof streamEvent> {}
export const StreamEvent: Schema<StreamEvent> = streamEvent;

/** The object schemas themselves, because `tagged` reads them faster than their `Schema` types. */
export const messageVariants = { stream_event: streamEvent, assistant, user } as const;
