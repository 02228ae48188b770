/**
 * The control requests that the CLI can send to the host.
 *
 * One row per request: the schema of the request and the schema of the answer.
 */
import {
  items,
  lenient,
  literal,
  nullable,
  object,
  oneOf,
  open,
  optional,
  record,
  type Schema,
  type Static,
  string,
  unknown,
} from "../../schema/index.ts";
import { CanUseTool, ToolDecision } from "../protocol/permission.ts";

export interface HostMethod {
  readonly request: Schema<any>;
  readonly answer: Schema<any>;
}

/** Calls a hook that the host registered in `initialize`. The shape of `input` depends on the hook event. */
const hookCallback = object({
  subtype: literal("hook_callback"),
  callback_id: string,
  input: unknown,
  tool_use_id: lenient(nullable(string)),
});
export interface HookCallback extends Static<typeof hookCallback> {}
export const HookCallback: Schema<HookCallback> = hookCallback;

/** `{}` leaves the decision to the CLI; `hookSpecificOutput` can make it. */
const hookAnswer = record(unknown);
export type HookAnswer = Static<typeof hookAnswer>;
export const HookAnswer: Schema<HookAnswer> = hookAnswer;

/** An MCP server asks the user for input. */
const elicitation = object({
  subtype: literal("elicitation"),
  mcp_server_name: string,
  message: string,
  mode: lenient(open("form", "url")),
  url: lenient(string),
  elicitation_id: lenient(string),
  requested_schema: lenient(record(unknown)),
  property_order: lenient(items(string)),
  title: lenient(string),
  display_name: lenient(string),
  description: lenient(string),
});
export interface Elicitation extends Static<typeof elicitation> {}
export const Elicitation: Schema<Elicitation> = elicitation;

const elicitationAnswer = object({
  action: oneOf("accept", "decline", "cancel"),
  content: optional(record(unknown)),
});
export interface ElicitationResult extends Static<typeof elicitationAnswer> {}
export const ElicitationResult: Schema<ElicitationResult> = elicitationAnswer;

/** A JSON-RPC message from the CLI to an MCP server that the host runs itself. */
const mcpMessage = object({ subtype: literal("mcp_message"), server_name: string, message: unknown });
export interface McpMessage extends Static<typeof mcpMessage> {}
export const McpMessage: Schema<McpMessage> = mcpMessage;

/** Notifications are answered too, with an empty result. */
const mcpMessageAnswer = object({ mcp_response: unknown });
export interface McpMessageAnswer extends Static<typeof mcpMessageAnswer> {}
export const McpMessageAnswer: Schema<McpMessageAnswer> = mcpMessageAnswer;

/** Sent only for the dialog kinds the host declared in `initialize`. */
const requestUserDialog = object({ subtype: literal("request_user_dialog") });
export interface RequestUserDialog extends Static<typeof requestUserDialog> {}
export const RequestUserDialog: Schema<RequestUserDialog> = requestUserDialog;

/** The control requests of the CLI to its host, with their schemas. */
export const hostMethods = {
  can_use_tool: { request: CanUseTool, answer: ToolDecision },
  hook_callback: { request: HookCallback, answer: HookAnswer },
  elicitation: { request: Elicitation, answer: ElicitationResult },
  mcp_message: { request: McpMessage, answer: McpMessageAnswer },
  request_user_dialog: { request: RequestUserDialog, answer: record(unknown) },
} as const satisfies Readonly<Record<string, HostMethod>>;

export type HostMethods = typeof hostMethods;
export type HostMethodName = keyof HostMethods;

/**
 * The handlers by method name. A request without a handler, and one whose handler throws,
 * is answered with an error, which the CLI treats as a refusal. `signal` aborts when the
 * CLI withdraws the request or exits; a later answer is dropped. `raw` is the request as
 * the CLI wrote it, for handlers that forward it.
 */
export type HostHandlers = {
  readonly [N in HostMethodName]?:
    | ((
        request: Static<HostMethods[N]["request"]>,
        signal: AbortSignal,
        raw: Readonly<Record<string, unknown>>,
      ) => Static<HostMethods[N]["answer"]> | Promise<Static<HostMethods[N]["answer"]>>)
    | undefined;
};
