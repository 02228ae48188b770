/**
 * Schemas of `session/prompt`, which runs one turn.
 */
import { array, lenient, nullable, oneOf, type Schema, type Static, string, uint64 } from "../../schema/index.ts";
import { ContentBlock } from "./content.ts";
import { withMeta } from "./common.ts";

const promptRequest = withMeta({ sessionId: string, prompt: array(ContentBlock) });
export interface PromptRequest extends Static<typeof promptRequest> {}
export const PromptRequest: Schema<PromptRequest> = promptRequest;

export type StopReason = "end_turn" | "max_tokens" | "max_turn_requests" | "refusal" | "cancelled";
export const StopReason: Schema<StopReason> = oneOf(
  "end_turn",
  "max_tokens",
  "max_turn_requests",
  "refusal",
  "cancelled",
);

const usage = withMeta({
  totalTokens: uint64,
  inputTokens: uint64,
  outputTokens: uint64,
  thoughtTokens: lenient(nullable(uint64)),
  cachedReadTokens: lenient(nullable(uint64)),
  cachedWriteTokens: lenient(nullable(uint64)),
});
/** Unstable. The tokens of a turn; the input does not include what was read from or written to the cache. */
export interface Usage extends Static<typeof usage> {}
export const Usage: Schema<Usage> = usage;

const promptResponse = withMeta({
  stopReason: StopReason,
  /** Unstable. */
  usage: lenient(nullable(Usage)),
});
export interface PromptResponse extends Static<typeof promptResponse> {}
export const PromptResponse: Schema<PromptResponse> = promptResponse;
