/**
 * Fold: an event of the CLI in, the updates an editor should see out.
 *
 * The only way from Claude to ACP: live turns, loaded history and tapes all go
 * through it, so they look the same. It changes the thread and nothing else; it
 * holds no client, no logger and no clock.
 */
import { type SessionUpdate, update } from "../../acp/index.ts";
import type { Assistant, ConversationEvent, Result, StreamEvent, User } from "../index.ts";
import { isRecord } from "../../schema/index.ts";
import { commandOutput, visibleText, isForModelOnly } from "./cli-markup.ts";
import { turnEndOf } from "./turn-end.ts";
import { foldSystem } from "./fold-system.ts";
import type { TranslationState } from "./state/translation-state.ts";

const nothing: readonly SessionUpdate[] = [];

export function fold(state: TranslationState, event: ConversationEvent): readonly SessionUpdate[] {
  switch (event.type) {
    case "stream_event":
      return foldStream(state, event);
    case "assistant":
      return foldAssistant(state, event);
    case "user":
      return foldUser(state, event);
    case "result":
      return foldResult(state, event);
    case "system":
      return foldSystem(state, event);
    case "conversation_reset":
      return [
        ...state.calls.closeAll("The conversation was cleared.", true),
        ...some(state.plan.cleared()),
        ...some(state.usage.shrunk(0)),
      ];
    case "tool_progress":
    case "command_lifecycle":
    case "rate_limit_event":
    case "auth_status":
    case "prompt_suggestion":
    case "tool_use_summary":
    case "keep_alive":
    case "active_goal":
    case "autocompact_state":
    case "transcript_mirror":
    case "unknown":
      return nothing;
  }
}

/** The CLI is gone or the history ends here: nothing stays open. */
export function foldEnd(state: TranslationState, why: string): readonly SessionUpdate[] {
  state.messages.turnEnded();
  state.error = undefined;
  return state.calls.closeAll(why, true);
}

function foldStream(state: TranslationState, { event, abandoned_blocks }: StreamEvent): readonly SessionUpdate[] {
  switch (event.type) {
    case "content_block_delta": {
      const { index, delta } = event;
      if (delta.type !== "input_json_delta") return some(state.messages.delta(index, delta));
      const id = state.toolCallOfBlock.get(index);
      return id === undefined ? nothing : state.calls.written(id, delta.partial_json);
    }
    case "message_start":
      state.toolCallOfBlock.clear();
      state.messages.started(event.message.id);
      state.usage.started(event.message.model, event.message.usage);
      return nothing;
    case "content_block_start": {
      const { index, content_block: block } = event;
      if (block.type === "text" && block.text !== "")
        return some(state.messages.delta(index, { type: "text_delta", text: block.text }));
      if (block.type !== "tool_use") return nothing;
      state.toolCallOfBlock.set(index, block.id);
      state.calls.begin(block.id, block.name);
      return nothing;
    }
    case "message_delta":
      return some(state.usage.ended(event.usage));
    case "message_stop":
      state.messages.stopped(abandoned_blocks);
      return nothing;
    case "content_block_stop":
    case "ping":
    case "error":
      return nothing;
  }
}

function foldAssistant(state: TranslationState, event: Assistant): readonly SessionUpdate[] {
  const { message, error } = event;
  const parent = event.parent_tool_use_id ?? undefined;
  const updates: SessionUpdate[] = [];
  for (const block of message.content) {
    if (block.type === "tool_use") {
      updates.push(...state.calls.complete(block.id, block.name, block.input, parent));
      if (parent === undefined && isRecord(block.input))
        updates.push(...some(state.plan.called(block.name, block.input)));
    } else if (parent !== undefined) {
      // Subagents run side by side; their words would mix with the conversation's.
      if (block.type === "text") state.calls.heard(parent, visibleText(block.text));
    } else if (error !== undefined && block.type === "text") {
      state.error = { kind: error, text: visibleText(block.text) };
    } else {
      updates.push(...some(state.messages.whole(message.id ?? event.uuid, block)));
    }
  }
  return updates;
}

function foldUser(state: TranslationState, event: User): readonly SessionUpdate[] {
  const { content } = event.message;
  const blocks = typeof content === "string" ? [{ type: "text", text: content } as const] : content;
  const updates: SessionUpdate[] = [];
  for (const block of blocks) {
    if (block.type === "tool_result") {
      const meta = event.tool_result_meta?.find(({ id }) => id === block.tool_use_id);
      const ended = state.calls.end(block, event.tool_use_result, meta);
      if (ended === undefined) continue;
      updates.push(...ended.updates);
      if (ended.parent === undefined && !ended.outcome.isError) {
        updates.push(...some(state.plan.answered(ended.name, ended.input, ended.outcome.structured)));
      }
    } else if (event.parent_tool_use_id == null && event.isSynthetic !== true && event.isReplay !== true) {
      updates.push(...spokenByPerson(block, event.uuid));
    }
  }
  return updates;
}

/** A live CLI does not repeat prompts, so what a person said here comes from history. */
function spokenByPerson(
  block: Exclude<User["message"]["content"], string>[number],
  uuid: string | undefined,
): readonly SessionUpdate[] {
  if (block.type === "text") {
    const printed = commandOutput(block.text);
    if (printed !== undefined) return printed === "" ? nothing : [update.agentMessage(`${printed}\n`, uuid)];
    return isForModelOnly(block.text) ? nothing : [update.userMessage(block.text, uuid)];
  }
  if (block.type !== "image") return nothing;
  const { data, media_type: mimeType } = block.source;
  if (data === undefined || mimeType === undefined) return nothing;
  return [update.userMessage({ type: "image", data, mimeType }, uuid)];
}

function foldResult(state: TranslationState, result: Result): readonly SessionUpdate[] {
  const updates: SessionUpdate[] = [];
  const end = turnEndOf(result, state.error?.kind);
  if (end.kind === "stopped" && state.error !== undefined) {
    updates.push(update.agentMessage(`${state.messages.hasSpoken ? "\n\n" : ""}${state.error.text}`));
  } else if (
    end.kind === "stopped" &&
    !state.messages.hasSpoken &&
    result.result !== undefined &&
    result.result !== ""
  ) {
    // The result holds the only copy of an answer that came without its message.
    updates.push(update.agentMessage(visibleText(result.result)));
  }
  const isCancelled = end.kind === "stopped" && end.stopReason === "cancelled";
  updates.push(...state.calls.closeAll(isCancelled ? "Cancelled." : "It did not run to its end."));
  updates.push(...some(state.usage.result(result)));
  state.messages.turnEnded();
  state.error = undefined;
  return updates;
}

function some(one: SessionUpdate | undefined): readonly SessionUpdate[] {
  return one === undefined ? nothing : [one];
}
