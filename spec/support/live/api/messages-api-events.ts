/**
 * Turns one scripted answer into the events of the Messages API.
 *
 * `eventsOf` yields events and holds in the order of the real API; `wholeMessage`
 * returns the same answer for a request without a stream. Ids count up, so that two runs
 * are equal. Has no socket.
 */
import { isHold, type AnswerStep, type ApiStopReason, type Block, type Hold, type Usage } from "./model-script.ts";
import type { JsonObject } from "../../json.ts";

export interface StreamEvent {
  readonly type: string;
  readonly [key: string]: unknown;
}

/** One number for all ids of an API. */
export interface Ids {
  next(prefix: string): string;
}

export function ids(): Ids {
  let last = 0;
  return { next: (prefix) => `${prefix}_live${String(++last).padStart(6, "0")}` };
}

export function* eventsOf(step: AnswerStep, model: string, ids: Ids): Generator<StreamEvent | Hold> {
  const usage = usageOf(step);
  const message = { ...envelope(model, ids), content: [], stop_reason: null, usage: { ...usage, output_tokens: 1 } };
  yield { type: "message_start", message };
  let index = 0;
  for (const block of step.blocks) {
    if (isHold(block)) yield block;
    else {
      const isCut = step.isBroken === true && block === step.blocks.at(-1);
      for (const event of blockEvents(block, ids)) {
        if (isHold(event)) yield event;
        else if (!isCut || event.type !== "content_block_stop") yield { ...event, index };
      }
      index++;
    }
  }
  if (step.isBroken) return;
  yield { type: "message_delta", delta: { stop_reason: stopReasonOf(step), stop_sequence: null }, usage };
  yield { type: "message_stop" };
}

export function wholeMessage(step: AnswerStep, model: string, ids: Ids): JsonObject {
  const content = step.blocks.flatMap((block) => (isHold(block) ? [] : [wholeBlock(block, ids)]));
  return { ...envelope(model, ids), content, stop_reason: stopReasonOf(step), usage: usageOf(step) };
}

function* blockEvents(block: Exclude<Block, Hold>, ids: Ids): Generator<StreamEvent | Hold> {
  switch (block.type) {
    case "text":
      yield { type: "content_block_start", content_block: { type: "text", text: "" } };
      for (const part of block.parts) yield typeof part === "string" ? delta({ type: "text_delta", text: part }) : part;
      break;
    case "thinking":
      yield { type: "content_block_start", content_block: { type: "thinking", thinking: "", signature: "" } };
      for (const part of block.parts) {
        yield typeof part === "string" ? delta({ type: "thinking_delta", thinking: part }) : part;
      }
      yield delta({ type: "signature_delta", signature: "c2lnbmVk" });
      break;
    case "tool_use": {
      const id = block.id ?? ids.next("toolu");
      yield { type: "content_block_start", content_block: { type: "tool_use", id, name: block.name, input: {} } };
      for (const partial_json of piecesOf(JSON.stringify(block.input), block.pieces)) {
        yield delta({ type: "input_json_delta", partial_json });
      }
      break;
    }
    case "whole":
      yield { type: "content_block_start", content_block: block.block };
      break;
  }
  yield { type: "content_block_stop" };
}

function wholeBlock(block: Exclude<Block, Hold>, ids: Ids): JsonObject {
  switch (block.type) {
    case "text":
      return { type: "text", text: block.parts.filter((part) => typeof part === "string").join("") };
    case "thinking": {
      const thinking = block.parts.filter((part) => typeof part === "string").join("");
      return { type: "thinking", thinking, signature: "c2lnbmVk" };
    }
    case "tool_use":
      return { type: "tool_use", id: block.id ?? ids.next("toolu"), name: block.name, input: block.input };
    case "whole":
      return block.block;
  }
}

function delta(content: JsonObject): StreamEvent {
  return { type: "content_block_delta", delta: content };
}

function envelope(model: string, ids: Ids): JsonObject {
  return { id: ids.next("msg"), type: "message", role: "assistant", model, stop_sequence: null };
}

function stopReasonOf(step: AnswerStep): ApiStopReason {
  return (
    step.stopReason ??
    (step.blocks.some((block) => "type" in block && block.type === "tool_use") ? "tool_use" : "end_turn")
  );
}

/** Figures that differ from one another, so that a mix-up shows. */
function usageOf(step: AnswerStep): Usage {
  const usual = { input_tokens: 100, output_tokens: 20, cache_creation_input_tokens: 30, cache_read_input_tokens: 50 };
  return { ...usual, ...step.usage };
}

function piecesOf(text: string, pieces: number): readonly string[] {
  const size = Math.max(1, Math.ceil(text.length / Math.max(1, pieces)));
  const cut: string[] = [];
  for (let from = 0; from < text.length; from += size) cut.push(text.slice(from, from + size));
  return cut;
}
