/**
 * Schemas of the messages the bridge sends, and constructors of its error messages.
 *
 * Keys are in the order of the protocol's documentation. The payload of `sdk.message`
 * is the CLI's line, byte for byte.
 */
import { ClaudeExit, ControlRefused } from "../claude/index.ts";
import {
  boolean,
  literal,
  object,
  oneOf,
  optional,
  record,
  type Schema,
  type Static,
  string,
  tagged,
  unknown,
} from "../schema/index.ts";

const empty = object({});

const sessionCreated = object({
  type: literal("session.created"),
  id: string,
  session_id: string,
  /** The CLI's id of the conversation, for the option `resume`. */
  payload: object({ sdk_session_id: string }),
});
export interface SessionCreated extends Static<typeof sessionCreated> {}
export const SessionCreated: Schema<SessionCreated> = sessionCreated;

const sdkMessage = object({ type: literal("sdk.message"), session_id: string, payload: record(unknown) });
export interface SdkMessage extends Static<typeof sdkMessage> {}
export const SdkMessage: Schema<SdkMessage> = sdkMessage;

const toolQuestion = object({
  callback_type: literal("can_use_tool"),
  tool_name: string,
  tool_input: record(unknown),
  suggestions: optional(unknown),
  blocked_path: optional(string),
  decision_reason: optional(string),
  tool_use_id: optional(string),
  agent_id: optional(string),
});
export interface ToolQuestion extends Static<typeof toolQuestion> {}
export const ToolQuestion: Schema<ToolQuestion> = toolQuestion;

const hookQuestion = object({
  callback_type: literal("hook"),
  hook_event: string,
  hook_input: unknown,
  tool_use_id: optional(string),
});
export interface HookQuestion extends Static<typeof hookQuestion> {}
export const HookQuestion: Schema<HookQuestion> = hookQuestion;

/** Extension, only with the option `elicitation_callbacks`: an MCP server asks the user something. */
const elicitationQuestion = object({
  callback_type: literal("elicitation"),
  mcp_server_name: string,
  message: string,
  mode: optional(string),
  requested_schema: optional(unknown),
  url: optional(string),
});
export interface ElicitationMessage extends Static<typeof elicitationQuestion> {}
export const ElicitationMessage: Schema<ElicitationMessage> = elicitationQuestion;

export type CallbackQuestion = ToolQuestion | HookQuestion | ElicitationMessage;
export const CallbackQuestion: Schema<CallbackQuestion> = tagged("callback_type", {
  can_use_tool: toolQuestion,
  hook: hookQuestion,
  elicitation: elicitationQuestion,
});

const callbackRequest = object({
  type: literal("callback.request"),
  id: string,
  session_id: string,
  payload: CallbackQuestion,
});
export interface CallbackRequest extends Static<typeof callbackRequest> {}
export const CallbackRequest: Schema<CallbackRequest> = callbackRequest;

/** Extension: the CLI no longer waits for the answer to this callback. */
const callbackCancelled = object({
  type: literal("callback.cancelled"),
  id: string,
  session_id: string,
  payload: object({ callback_type: oneOf("can_use_tool", "hook", "elicitation"), reason: string }),
});
export interface CallbackCancelled extends Static<typeof callbackCancelled> {}
export const CallbackCancelled: Schema<CallbackCancelled> = callbackCancelled;

const queryResult = object({
  type: literal("query.result"),
  id: string,
  session_id: string,
  payload: object({
    success: boolean,
    result: optional(unknown),
    error: optional(string),
    code: optional(literal("QUERY_METHOD_FAILED")),
  }),
});
export interface QueryResult extends Static<typeof queryResult> {}
export const QueryResult: Schema<QueryResult> = queryResult;

const sessionInterrupted = object({
  type: literal("session.interrupted"),
  id: string,
  session_id: string,
  payload: empty,
});
export interface SessionInterrupted extends Static<typeof sessionInterrupted> {}
export const SessionInterrupted: Schema<SessionInterrupted> = sessionInterrupted;

const sessionKilled = object({ type: literal("session.killed"), id: string, session_id: string, payload: empty });
export interface SessionKilled extends Static<typeof sessionKilled> {}
export const SessionKilled: Schema<SessionKilled> = sessionKilled;

export type ErrorCode = Static<typeof ErrorCode>;
export const ErrorCode = oneOf(
  "INVALID_MESSAGE",
  "SESSION_NOT_FOUND",
  "SESSION_CREATE_FAILED",
  "CALLBACK_TIMEOUT",
  "CALLBACK_NOT_FOUND",
  "QUERY_METHOD_FAILED",
  "SDK_ERROR",
);

const errorMessage = object({
  type: literal("error"),
  id: optional(string),
  session_id: optional(string),
  payload: object({ code: ErrorCode, message: string, details: optional(record(unknown)) }),
});
export interface ErrorMessage extends Static<typeof errorMessage> {}
export const ErrorMessage: Schema<ErrorMessage> = errorMessage;

export type BridgeMessage =
  | SessionCreated
  | SdkMessage
  | CallbackRequest
  | CallbackCancelled
  | QueryResult
  | SessionInterrupted
  | SessionKilled
  | ErrorMessage;
export const BridgeMessage: Schema<BridgeMessage> = tagged("type", {
  "session.created": sessionCreated,
  "sdk.message": sdkMessage,
  "callback.request": callbackRequest,
  "callback.cancelled": callbackCancelled,
  "query.result": queryResult,
  "session.interrupted": sessionInterrupted,
  "session.killed": sessionKilled,
  error: errorMessage,
});

/** The request and session that an error belongs to. */
export interface ErrorSubject {
  readonly id?: string | undefined;
  readonly session_id?: string | undefined;
}

export function failure(
  code: ErrorCode,
  message: string,
  { id, session_id }: ErrorSubject,
  details?: Readonly<Record<string, unknown>>,
): ErrorMessage {
  return {
    type: "error",
    ...(id !== undefined && { id }),
    ...(session_id !== undefined && { session_id }),
    payload: { code, message, ...(details && { details }) },
  };
}

/** The error message for a failure of the CLI; after an exit it includes the last lines of stderr. */
export function failureOf(code: ErrorCode, cause: unknown, subject: ErrorSubject): ErrorMessage {
  return failure(code, reasonOf(cause), subject, detailsOf(cause));
}

export function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return "unknown error";
  const last = cause instanceof ClaudeExit ? cause.stderr.at(-1) : undefined;
  return last === undefined ? cause.message : `${cause.message}: ${last}`;
}

function detailsOf(cause: unknown): Readonly<Record<string, unknown>> | undefined {
  if (cause instanceof ClaudeExit) {
    return { reason: cause.message, exit_code: cause.code, signal: cause.signal, stderr: cause.stderr };
  }
  if (!(cause instanceof Error)) return undefined;
  return cause instanceof ControlRefused && cause.code !== undefined
    ? { reason: cause.message, cli_code: cause.code }
    : { reason: cause.message };
}
