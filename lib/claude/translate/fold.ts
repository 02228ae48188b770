/**
 * `fold`: translates one event of the CLI into the ACP session updates the client gets.
 *
 * The only path from the CLI to ACP. Live turns, loaded history and recorded tapes all use
 * it, so they look the same. It changes the `TranslationState` and nothing else, and must
 * not depend on a client, a logger or a clock.
 */
import { type SessionUpdate, update } from "../../acp/index.ts";
import type { Assistant, ConversationEvent, Result, StreamEvent, User } from "../index.ts";
import { savedBlocks } from "../../display/index.ts";
import { isRecord } from "../../schema/index.ts";
import { commandOutput, visibleText, isForModelOnly } from "./cli-markup.ts";
import { turnEndOf } from "./turn-end.ts";
import { foldSystem } from "./fold-system.ts";
import type { TranslationState } from "./state/translation-state.ts";

const noUpdates: readonly SessionUpdate[] = [];

/** The updates that one event of the CLI causes. Changes `state`. */
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
        ...listOf(state.plan.cleared()),
        ...listOf(state.usage.shrunk(0)),
      ];
    case "rate_limit_event":
      return [
        ...state.limits.take(event.rate_limit_info, state.view),
        ...listOf(state.usage.limited(state.limits.all)),
      ];
    case "tool_progress":
    case "command_lifecycle":
    case "auth_status":
    case "prompt_suggestion":
    case "tool_use_summary":
    case "keep_alive":
    case "active_goal":
    case "autocompact_state":
    case "transcript_mirror":
    case "unknown":
      return noUpdates;
  }
}

/** The CLI has exited or the history ends: closes everything that is open. */
export function foldEnd(state: TranslationState, why: string): readonly SessionUpdate[] {
  state.messages.turnEnded();
  state.error = undefined;
  return state.calls.closeAll(why, true);
}

/** The user took prompts back: what they left open is closed, and their plan is gone. */
export function foldRewind(state: TranslationState): readonly SessionUpdate[] {
  return [...foldEnd(state, "It was taken back."), ...listOf(state.plan.cleared())];
}

function foldStream(state: TranslationState, { event, abandoned_blocks }: StreamEvent): readonly SessionUpdate[] {
  switch (event.type) {
    case "content_block_delta": {
      const { index, delta } = event;
      if (delta.type !== "input_json_delta") return listOf(state.messages.delta(index, delta));
      const id = state.toolCallOfBlock.get(index);
      return id === undefined ? noUpdates : state.calls.appendInput(id, delta.partial_json);
    }
    case "message_start":
      state.toolCallOfBlock.clear();
      state.messages.started(event.message.id);
      state.usage.started(event.message.model, event.message.usage);
      return noUpdates;
    case "content_block_start": {
      const { index, content_block: block } = event;
      if (block.type === "text" && block.text !== "")
        return listOf(state.messages.delta(index, { type: "text_delta", text: block.text }));
      if (block.type !== "tool_use") return noUpdates;
      state.toolCallOfBlock.set(index, block.id);
      state.calls.begin(block.id, block.name);
      return noUpdates;
    }
    case "message_delta":
      return listOf(state.usage.ended(event.usage));
    case "message_stop":
      state.messages.stopped(abandoned_blocks);
      return noUpdates;
    case "content_block_stop":
    case "ping":
    case "error":
      return noUpdates;
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
        updates.push(...listOf(state.plan.called(block.name, block.input)));
    } else if (parent !== undefined) {
      // Subagents run in parallel, and their text would mix with that of the main conversation.
      if (block.type === "text") updates.push(...state.calls.setReport(parent, visibleText(block.text)));
    } else if (error !== undefined && block.type === "text") {
      state.error = { kind: error, text: visibleText(block.text) };
    } else {
      updates.push(...listOf(state.messages.whole(message.id ?? event.uuid, block)));
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
        updates.push(...listOf(state.plan.answered(ended.name, ended.input, ended.outcome.structured)));
      }
    } else if (event.parent_tool_use_id == null && event.isSynthetic !== true && event.isReplay !== true) {
      updates.push(...promptUpdates(block, event.uuid, state.view.keepsSharedContext));
    }
  }
  return updates;
}

/** A block of a prompt of the user. A live CLI does not repeat prompts, so it comes from loaded history. */
function promptUpdates(
  block: Exclude<User["message"]["content"], string>[number],
  uuid: string | undefined,
  keepsSharedContext: boolean | undefined,
): readonly SessionUpdate[] {
  if (block.type === "text") {
    const printed = commandOutput(block.text);
    if (printed !== undefined) return printed === "" ? noUpdates : [update.agentMessage(`${printed}\n`, uuid)];
    if (isForModelOnly(block.text)) return noUpdates;
    return savedBlocks(block.text, keepsSharedContext).map((one) => update.userMessage(one, uuid));
  }
  if (block.type !== "image") return noUpdates;
  const { data, media_type: mimeType } = block.source;
  if (data === undefined || mimeType === undefined) return noUpdates;
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
    // No message was shown, so the result holds the only copy of the answer.
    updates.push(update.agentMessage(visibleText(result.result)));
  }
  const isCancelled = end.kind === "stopped" && end.stopReason === "cancelled";
  updates.push(...state.calls.closeAll(isCancelled ? "Cancelled." : "It did not run to its end."));
  updates.push(...listOf(state.usage.result(result)));
  state.messages.turnEnded();
  state.error = undefined;
  return updates;
}

function listOf(one: SessionUpdate | undefined): readonly SessionUpdate[] {
  return one === undefined ? noUpdates : [one];
}
