/**
 * Schemas of `session/prompt`, which runs one turn.
 */
import { array, oneOf, type Schema, type Static, string } from "../schema/index.ts";
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

const promptResponse = withMeta({ stopReason: StopReason });
export interface PromptResponse extends Static<typeof promptResponse> {}
export const PromptResponse: Schema<PromptResponse> = promptResponse;
