/**
 * Host methods: what the CLI may ask the host, one row each: the request and what
 * it wants back.
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

/** A hook the host registered in `initialize`. Its input differs by event. */
const hookCallback = object({
  subtype: literal("hook_callback"),
  callback_id: string,
  input: unknown,
  tool_use_id: lenient(nullable(string)),
});
export interface HookCallback extends Static<typeof hookCallback> {}
export const HookCallback: Schema<HookCallback> = hookCallback;

/** `{}` lets things go on; `hookSpecificOutput` may decide. */
const hookAnswer = record(unknown);
export type HookAnswer = Static<typeof hookAnswer>;
export const HookAnswer: Schema<HookAnswer> = hookAnswer;

/** An MCP server asks the user something. */
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
export interface ElicitationAnswer extends Static<typeof elicitationAnswer> {}
export const ElicitationAnswer: Schema<ElicitationAnswer> = elicitationAnswer;

/** A JSON-RPC message to an MCP server that the host itself is. */
const mcpMessage = object({ subtype: literal("mcp_message"), server_name: string, message: unknown });
export interface McpMessage extends Static<typeof mcpMessage> {}
export const McpMessage: Schema<McpMessage> = mcpMessage;

/** A notification too is answered, with an empty result. */
const mcpMessageAnswer = object({ mcp_response: unknown });
export interface McpMessageAnswer extends Static<typeof mcpMessageAnswer> {}
export const McpMessageAnswer: Schema<McpMessageAnswer> = mcpMessageAnswer;

/** Only of the kinds declared in `initialize`. */
const requestUserDialog = object({ subtype: literal("request_user_dialog") });
export interface RequestUserDialog extends Static<typeof requestUserDialog> {}
export const RequestUserDialog: Schema<RequestUserDialog> = requestUserDialog;

export const hostMethods = {
  can_use_tool: { request: CanUseTool, answer: ToolDecision },
  hook_callback: { request: HookCallback, answer: HookAnswer },
  elicitation: { request: Elicitation, answer: ElicitationAnswer },
  mcp_message: { request: McpMessage, answer: McpMessageAnswer },
  request_user_dialog: { request: RequestUserDialog, answer: record(unknown) },
} as const satisfies Readonly<Record<string, HostMethod>>;

export type HostMethods = typeof hostMethods;
export type HostMethodName = keyof HostMethods;

/**
 * An allowed tool runs with the asked input unless another is given. Newer CLIs
 * know that; 2.1.197 runs nothing when it is left out.
 */
export function completeDecision(asked: CanUseTool, decision: ToolDecision): ToolDecision {
  return decision.behavior === "allow" && decision.updatedInput === undefined
    ? { ...decision, updatedInput: asked.input }
    : decision;
}

/**
 * Who answers what. A row left out is answered with an error, which the CLI takes
 * as a no; so is a handler that throws. `signal` aborts when the CLI withdraws the
 * request or is gone; what is answered after that is dropped. `said` is the request as
 * the CLI wrote it, for whoever passes it on.
 */
export type HostHandlers = {
  readonly [N in HostMethodName]?:
    | ((
        request: Static<HostMethods[N]["request"]>,
        signal: AbortSignal,
        said: Readonly<Record<string, unknown>>,
      ) => Static<HostMethods[N]["answer"]> | Promise<Static<HostMethods[N]["answer"]>>)
    | undefined;
};
