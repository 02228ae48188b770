/**
 * Host frames: the lines a host writes to the CLI.
 *
 * One line that is not a JSON object ends the CLI, so lines are only ever made by
 * `JSON.stringify` of one of these.
 */
import {
  array,
  boolean,
  either,
  literal,
  nullable,
  object,
  open,
  optional,
  type Schema,
  type Static,
  string,
  tagged,
} from "../../schema/index.ts";
import { Block } from "./content.ts";
import { ControlCancelRequest, ControlRequest, ControlResponse } from "../control/frames.ts";
import { Origin } from "./result.ts";

const promptMessage = object({ role: literal("user"), content: either("text or blocks", string, array(Block)) });
export interface PromptMessage extends Static<typeof promptMessage> {}
export const PromptMessage: Schema<PromptMessage> = promptMessage;

/** A prompt. Its `uuid` comes back in `user_message_uuids` of the result. */
const promptFrame = object({
  type: literal("user"),
  message: PromptMessage,
  parent_tool_use_id: optional(nullable(string)),
  session_id: optional(string),
  uuid: optional(string),
  /** Without `{kind:"human"}` the CLI miscounts what waits. */
  origin: optional(Origin),
  /** `now` aborts the running turn, `later` never joins it, `next` is the default. */
  priority: optional(open("now", "next", "later")),
  /** False adds to the context without a turn. */
  shouldQuery: optional(boolean),
  /** True: it is the host's own word and no person's, and the model is told so. */
  isSynthetic: optional(boolean),
  /** True: the CLI expands no @-mention and runs no slash command. */
  client_composed: optional(boolean),
});
export interface PromptFrame extends Static<typeof promptFrame> {}
export const PromptFrame: Schema<PromptFrame> = promptFrame;

const keepAliveFrame = object({ type: literal("keep_alive") });
export interface KeepAliveFrame extends Static<typeof keepAliveFrame> {}
export const KeepAliveFrame: Schema<KeepAliveFrame> = keepAliveFrame;

export type HostFrame = PromptFrame | KeepAliveFrame | ControlRequest | ControlResponse | ControlCancelRequest;
export const HostFrame: Schema<HostFrame> = tagged("type", {
  user: promptFrame,
  keep_alive: keepAliveFrame,
  control_request: ControlRequest,
  control_response: ControlResponse,
  control_cancel_request: ControlCancelRequest,
});
