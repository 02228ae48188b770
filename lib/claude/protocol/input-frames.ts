/**
 * Schemas of the lines that the host writes to the CLI.
 *
 * The CLI exits at a line that is not a JSON object, so every line must be the
 * `JSON.stringify` of one of these frames.
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

/** A prompt. The result of its turn names its `uuid` in `user_message_uuids`. */
const promptFrame = object({
  type: literal("user"),
  message: PromptMessage,
  parent_tool_use_id: optional(nullable(string)),
  session_id: optional(string),
  uuid: optional(string),
  /** Without `{kind:"human"}` the CLI miscounts the queued prompts. */
  origin: optional(Origin),
  /** `now` aborts the running turn, `later` waits for its end, `next` (the default) may join it. */
  priority: optional(open("now", "next", "later")),
  /** False adds the message to the context without starting a turn. */
  shouldQuery: optional(boolean),
  /** True: the host wrote the message, not the user; the CLI says so to the model. */
  isSynthetic: optional(boolean),
  /** True: the CLI does not expand @-mentions and does not run slash commands. */
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
