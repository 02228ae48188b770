/**
 * Scripts of the model's answers, as data.
 *
 * A script is a list of steps, one for each request of a tool loop. The functions below
 * build them: `answer(say("Hi"), call("Read", {...}))`, `fails(529)`. Depends on no
 * HTTP.
 */
import type { ApiRequest } from "./api-request.ts";

/** A point in a stream where it waits until the test releases the gate of that name. */
export interface Hold {
  readonly hold: string;
}

export interface TextBlock {
  readonly type: "text";
  readonly parts: readonly (string | Hold)[];
}

export interface ThinkingBlock {
  readonly type: "thinking";
  readonly parts: readonly (string | Hold)[];
}

export interface ToolUseBlock {
  readonly type: "tool_use";
  readonly name: string;
  readonly input: unknown;
  /** In how many pieces the input's JSON is streamed. */
  readonly pieces: number;
  readonly id?: string;
}

/** A block sent as a whole in its start event: results of server tools and future kinds of blocks. */
export interface WholeBlock {
  readonly type: "whole";
  readonly block: { readonly type: string; readonly [key: string]: unknown };
}

export type Block = TextBlock | ThinkingBlock | ToolUseBlock | WholeBlock | Hold;

export type ApiStopReason = "end_turn" | "max_tokens" | "refusal" | "tool_use" | "pause_turn" | "stop_sequence";

export interface Usage {
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cache_creation_input_tokens: number;
  readonly cache_read_input_tokens: number;
}

export interface AnswerStep {
  readonly kind: "answer";
  readonly blocks: readonly Block[];
  /** By default tool_use after a tool call, end_turn otherwise. */
  readonly stopReason?: ApiStopReason;
  readonly usage?: Partial<Usage>;
  /** Further headers of the response. */
  readonly headers?: Readonly<Record<string, string>>;
  /** A pause between two deltas, for specs of timing. */
  readonly everyMs?: number;
  /** The connection is cut after the last block's deltas; a request without `stream` is answered whole. */
  readonly isBroken?: boolean;
}

export interface FailureStep {
  readonly kind: "failure";
  readonly status: number;
  readonly errorType: string;
  readonly message: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Not even headers until the gate is released; then the step given. */
export interface SilenceStep {
  readonly kind: "silence";
  readonly gate: string;
  readonly next: AnswerStep | FailureStep;
}

/** The n-th retry of the same step gets the n-th of these; the last one is repeated. */
export interface TriesStep {
  readonly kind: "tries";
  readonly tries: readonly (AnswerStep | FailureStep | SilenceStep)[];
}

/** This step and all later ones. */
export interface ForeverStep {
  readonly kind: "forever";
  readonly step: AnswerStep | FailureStep;
}

export type Step = AnswerStep | FailureStep | SilenceStep | TriesStep | ForeverStep;
/** A step that depends on what the model was sent, for example an id in a tool result. */
export type StepOf = (request: ApiRequest) => Step;
export type Script = readonly (Step | StepOf)[];

export function isHold(part: object): part is Hold {
  return "hold" in part && typeof part.hold === "string" && !("type" in part);
}

export function hold(gate: string): Hold {
  return { hold: gate };
}

/** Text, one delta for each part. */
export function say(...parts: readonly (string | Hold)[]): TextBlock {
  return { type: "text", parts };
}

export function think(...parts: readonly (string | Hold)[]): ThinkingBlock {
  return { type: "thinking", parts };
}

export function call(name: string, input: unknown, options: { pieces?: number; id?: string } = {}): ToolUseBlock {
  return { type: "tool_use", name, input, pieces: options.pieces ?? 3, ...(options.id && { id: options.id }) };
}

export function whole(block: WholeBlock["block"]): WholeBlock {
  return { type: "whole", block };
}

export function answer(...blocks: readonly Block[]): AnswerStep {
  return { kind: "answer", blocks };
}

/** The same answer with further fields: `answering({ stopReason: "refusal" }, say("No."))`. */
export function answering(how: Omit<AnswerStep, "kind" | "blocks">, ...blocks: readonly Block[]): AnswerStep {
  return { kind: "answer", blocks, ...how };
}

/** Streams these blocks and then drops the connection. */
export function breaksAfter(...blocks: readonly Block[]): AnswerStep {
  return { kind: "answer", blocks, isBroken: true };
}

export function fails(status: number, headers: Readonly<Record<string, string>> = {}, message?: string): FailureStep {
  const [errorType, usual] = failures[status] ?? ["api_error", "Something went wrong"];
  return { kind: "failure", status, errorType, message: message ?? usual, headers };
}

export function silence(gate: string, next: AnswerStep | FailureStep = answer(say("At last."))): SilenceStep {
  return { kind: "silence", gate, next };
}

export function tries(...steps: TriesStep["tries"]): TriesStep {
  return { kind: "tries", tries: steps };
}

export function forever(step: AnswerStep | FailureStep): ForeverStep {
  return { kind: "forever", step };
}

/** N deltas that together read "w0 w1 w2 ...". */
export function words(count: number): TextBlock {
  return say(...Array.from({ length: count }, (_, index) => `w${index} `));
}

/** The API's name and message for each failure. */
const failures: Readonly<Record<number, readonly [type: string, message: string]>> = {
  400: ["invalid_request_error", "messages: the request was malformed"],
  401: ["authentication_error", "invalid x-api-key"],
  403: ["permission_error", "Your API key does not have permission to use the specified resource."],
  404: ["not_found_error", "model: not found"],
  413: ["request_too_large", "Request exceeds the maximum size"],
  429: ["rate_limit_error", "This request would exceed your account's rate limit."],
  500: ["api_error", "Internal server error"],
  529: ["overloaded_error", "Overloaded"],
};
