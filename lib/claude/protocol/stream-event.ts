/**
 * Schemas of the streaming events of the Messages API, inside a `stream_event`.
 *
 * Hot path: reading a delta takes about 0.3 microseconds, a quarter of its `JSON.parse`,
 * and allocates nothing.
 */
import {
  integer,
  lenient,
  literal,
  nullable,
  number,
  object,
  type Schema,
  type Static,
  string,
  tagged,
  unknown,
} from "../../schema/index.ts";
import { Block, ClaudeUsage } from "./content.ts";

const textDelta = object({ type: literal("text_delta"), text: string });
export interface TextDelta extends Static<typeof textDelta> {}
export const TextDelta: Schema<TextDelta> = textDelta;

const thinkingDelta = object({ type: literal("thinking_delta"), thinking: string });
export interface ThinkingDelta extends Static<typeof thinkingDelta> {}
export const ThinkingDelta: Schema<ThinkingDelta> = thinkingDelta;

const signatureDelta = object({ type: literal("signature_delta"), signature: string });
export interface SignatureDelta extends Static<typeof signatureDelta> {}
export const SignatureDelta: Schema<SignatureDelta> = signatureDelta;

const inputJsonDelta = object({ type: literal("input_json_delta"), partial_json: string });
export interface InputJsonDelta extends Static<typeof inputJsonDelta> {}
export const InputJsonDelta: Schema<InputJsonDelta> = inputJsonDelta;

const citationsDelta = object({ type: literal("citations_delta"), citation: unknown });
export interface CitationsDelta extends Static<typeof citationsDelta> {}
export const CitationsDelta: Schema<CitationsDelta> = citationsDelta;

export type BlockDelta = TextDelta | ThinkingDelta | SignatureDelta | InputJsonDelta | CitationsDelta;
export const BlockDelta: Schema<BlockDelta> = tagged("type", {
  text_delta: textDelta,
  thinking_delta: thinkingDelta,
  signature_delta: signatureDelta,
  input_json_delta: inputJsonDelta,
  citations_delta: citationsDelta,
});

const startedMessage = object({ id: string, model: lenient(string), usage: lenient(ClaudeUsage) });
export interface StartedMessage extends Static<typeof startedMessage> {}
export const StartedMessage: Schema<StartedMessage> = startedMessage;

const messageStart = object({ type: literal("message_start"), message: StartedMessage });
export interface MessageStart extends Static<typeof messageStart> {}
export const MessageStart: Schema<MessageStart> = messageStart;

const contentBlockStart = object({ type: literal("content_block_start"), index: integer(0), content_block: Block });
export interface ContentBlockStart extends Static<typeof contentBlockStart> {}
export const ContentBlockStart: Schema<ContentBlockStart> = contentBlockStart;

const contentBlockDelta = object({ type: literal("content_block_delta"), index: integer(0), delta: BlockDelta });
export interface ContentBlockDelta extends Static<typeof contentBlockDelta> {}
export const ContentBlockDelta: Schema<ContentBlockDelta> = contentBlockDelta;

const contentBlockStop = object({ type: literal("content_block_stop"), index: integer(0) });
export interface ContentBlockStop extends Static<typeof contentBlockStop> {}
export const ContentBlockStop: Schema<ContentBlockStop> = contentBlockStop;

const endingDelta = object({ stop_reason: lenient(nullable(string)), stop_sequence: lenient(nullable(string)) });
export interface EndingDelta extends Static<typeof endingDelta> {}
export const EndingDelta: Schema<EndingDelta> = endingDelta;

const messageDelta = object({
  type: literal("message_delta"),
  delta: lenient(EndingDelta),
  usage: lenient(ClaudeUsage),
});
export interface MessageDelta extends Static<typeof messageDelta> {}
export const MessageDelta: Schema<MessageDelta> = messageDelta;

const messageStop = object({ type: literal("message_stop") });
export interface MessageStop extends Static<typeof messageStop> {}
export const MessageStop: Schema<MessageStop> = messageStop;

const ping = object({ type: literal("ping") });
export interface Ping extends Static<typeof ping> {}
export const Ping: Schema<Ping> = ping;

const streamError = object({ type: literal("error"), error: unknown });
export interface StreamError extends Static<typeof streamError> {}
export const StreamError: Schema<StreamError> = streamError;

/** One streaming event of the Messages API. */
export type AnswerEvent =
  | MessageStart
  | ContentBlockStart
  | ContentBlockDelta
  | ContentBlockStop
  | MessageDelta
  | MessageStop
  | Ping
  | StreamError;
export const AnswerEvent: Schema<AnswerEvent> = tagged("type", {
  content_block_delta: contentBlockDelta,
  content_block_start: contentBlockStart,
  content_block_stop: contentBlockStop,
  message_start: messageStart,
  message_delta: messageDelta,
  message_stop: messageStop,
  ping,
  error: streamError,
});

/** The message broke off or was interrupted: its blocks from `from_block_index` on are discarded. */
const abandonedBlocks = object({ api_message_id: lenient(string), from_block_index: lenient(number) });
export interface AbandonedBlocks extends Static<typeof abandonedBlocks> {}
export const AbandonedBlocks: Schema<AbandonedBlocks> = abandonedBlocks;
