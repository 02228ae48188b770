/**
 * Schemas of the messages a bridge client sends, and the parser of its lines.
 *
 * An invalid line is returned with the id it carried, so that the error can name the
 * request. Knows no session state.
 */
import { AnyUpdate } from "../claude/index.ts";
import {
  array,
  boolean,
  Fault,
  isRecord,
  literal,
  nonEmptyString,
  object,
  oneOf,
  optional,
  record,
  refine,
  type Schema,
  type Static,
  string,
  tagged,
  textOf,
  unknown,
} from "../schema/index.ts";
import { maybe, SessionOptions } from "./session-options.ts";

/** Blocks of the Messages API: text, images, documents. */
const contentBlocks = refine(array(object({ type: nonEmptyString })), "a list that is not empty", (blocks) => {
  return blocks.length > 0;
});
export type PromptContent = string | Static<typeof contentBlocks>;

const createPayload = object({
  /** When empty, the session waits for its first `session.send`. */
  prompt: optional(string),
  /** Content blocks, sent instead of the prompt. */
  content: maybe(contentBlocks),
  cwd: nonEmptyString,
  options: maybe(SessionOptions),
});
const sessionCreate = object({
  type: literal("session.create"),
  id: nonEmptyString,
  payload: refine(createPayload, "an object with prompt or content", ({ prompt, content }) => {
    return prompt !== undefined || (content ?? undefined) !== undefined;
  }),
});
export interface SessionCreate extends Static<typeof sessionCreate> {}
export const SessionCreate: Schema<SessionCreate> = sessionCreate;

const sendPayload = object({ message: maybe(string), content: maybe(contentBlocks) });
const sessionSend = object({
  type: literal("session.send"),
  id: nonEmptyString,
  session_id: string,
  payload: refine(sendPayload, "an object with a message that is not empty, or content", ({ message, content }) => {
    return (message ?? "") !== "" || (content ?? undefined) !== undefined;
  }),
});
export interface SessionSend extends Static<typeof sessionSend> {}
export const SessionSend: Schema<SessionSend> = sessionSend;

const sessionInterrupt = object({
  type: literal("session.interrupt"),
  id: nonEmptyString,
  session_id: string,
  payload: object({}),
});
export interface SessionInterrupt extends Static<typeof sessionInterrupt> {}
export const SessionInterrupt: Schema<SessionInterrupt> = sessionInterrupt;

const sessionKill = object({
  type: literal("session.kill"),
  id: nonEmptyString,
  session_id: string,
  payload: object({}),
});
export interface SessionKill extends Static<typeof sessionKill> {}
export const SessionKill: Schema<SessionKill> = sessionKill;

/** The payload's schema depends on the callback: `ToolAnswer`, `HookReply` or `ElicitationReply`. */
const callbackResponse = object({
  type: literal("callback.response"),
  id: nonEmptyString,
  session_id: string,
  payload: record(unknown),
});
export interface CallbackResponse extends Static<typeof callbackResponse> {}
export const CallbackResponse: Schema<CallbackResponse> = callbackResponse;

const queryCall = object({
  type: literal("query.call"),
  id: nonEmptyString,
  session_id: string,
  payload: object({ method: string, args: array(unknown) }),
});
export interface QueryCall extends Static<typeof queryCall> {}
export const QueryCall: Schema<QueryCall> = queryCall;

const messageVariants = {
  "session.create": sessionCreate,
  "session.send": sessionSend,
  "session.interrupt": sessionInterrupt,
  "session.kill": sessionKill,
  "callback.response": callbackResponse,
  "query.call": queryCall,
} as const;

export type ClientMessage = SessionCreate | SessionSend | SessionInterrupt | SessionKill | CallbackResponse | QueryCall;
export const ClientMessage: Schema<ClientMessage> = tagged("type", messageVariants);

/** The payload that answers a `can_use_tool`. */
const toolAnswer = object({
  behavior: oneOf("allow", "deny"),
  /** Replaces the input of the tool call. */
  updated_input: maybe(record(unknown)),
  updated_permissions: maybe(array(AnyUpdate)),
  message: maybe(string),
  /** With `deny`: also ends the turn. */
  interrupt: maybe(boolean),
});
export interface ToolAnswer extends Static<typeof toolAnswer> {}
export const ToolAnswer: Schema<ToolAnswer> = toolAnswer;

/** The payload that answers a hook; `{}` continues unchanged. */
const hookReply = object({
  continue: maybe(boolean),
  suppress_output: maybe(boolean),
  stop_reason: maybe(string),
  decision: maybe(oneOf("approve", "block")),
  system_message: maybe(string),
  reason: maybe(string),
  hook_specific_output: maybe(record(unknown)),
  suppressOutput: maybe(boolean),
  stopReason: maybe(string),
  systemMessage: maybe(string),
  hookSpecificOutput: maybe(record(unknown)),
});
export interface HookReply extends Static<typeof hookReply> {}
export const HookReply: Schema<HookReply> = hookReply;

/** The payload that answers an elicitation. */
const elicitationReply = object({ action: oneOf("accept", "decline", "cancel"), content: maybe(record(unknown)) });
export interface ElicitationReply extends Static<typeof elicitationReply> {}
export const ElicitationReply: Schema<ElicitationReply> = elicitationReply;

export type CallbackAnswer = ToolAnswer | HookReply | ElicitationReply;

export type ParsedLine =
  | { readonly kind: "message"; readonly message: ClientMessage }
  | {
      readonly kind: "invalid";
      readonly why: string;
      readonly id: string | undefined;
      readonly session_id: string | undefined;
    };

export function readLine(line: string): ParsedLine {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return invalid("the line must be JSON");
  }
  if (!isRecord(value)) return invalid("the line must be a JSON object");
  const { type } = value;
  const message = ClientMessage.read(value);
  if (message instanceof Fault) {
    const name = typeof type === "string" && Object.hasOwn(messageVariants, type) ? `${type}: ` : "";
    return invalid(`${name}${message.describe()}`, value);
  }
  try {
    // Nesting that JSON.stringify cannot handle could not be forwarded to the CLI.
    JSON.stringify(value);
  } catch {
    return invalid("the line must not be nested so deeply", value);
  }
  return { kind: "message", message };
}

function invalid(why: string, value: Readonly<Record<string, unknown>> = {}): ParsedLine {
  return { kind: "invalid", why, id: textOf(value["id"]), session_id: textOf(value["session_id"]) };
}
