/**
 * Fold: an event of the CLI in, the updates an editor should see out.
 *
 * The only way from Claude to ACP: live turns, loaded history and tapes all go
 * through it, so they look the same. It changes the thread and nothing else; it
 * holds no client, no logger and no clock.
 */
import { type SessionUpdate, update } from "../acp/index.ts";
import type { Assistant, ConversationEvent, Result, StreamEvent, User } from "../claude/index.ts";
import { isRecord } from "../schema/index.ts";
import { commandOutput, forPeople, isForModelOnly } from "./prose.ts";
import { endOf } from "./stop.ts";
import { foldSystem } from "./system.ts";
import type { Thread } from "./thread.ts";

const nothing: readonly SessionUpdate[] = [];

export function fold(thread: Thread, event: ConversationEvent): readonly SessionUpdate[] {
  switch (event.type) {
    case "stream_event":
      return foldStream(thread, event);
    case "assistant":
      return foldAssistant(thread, event);
    case "user":
      return foldUser(thread, event);
    case "result":
      return foldResult(thread, event);
    case "system":
      return foldSystem(thread, event);
    case "conversation_reset":
      return [
        ...thread.calls.closeAll("The conversation was cleared.", true),
        ...some(thread.plan.cleared()),
        ...some(thread.usage.shrunk(0)),
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
export function foldEnd(thread: Thread, why: string): readonly SessionUpdate[] {
  thread.messages.turnEnded();
  thread.error = undefined;
  return thread.calls.closeAll(why, true);
}

function foldStream(thread: Thread, { event, abandoned_blocks }: StreamEvent): readonly SessionUpdate[] {
  switch (event.type) {
    case "content_block_delta": {
      const { index, delta } = event;
      if (delta.type !== "input_json_delta") return some(thread.messages.delta(index, delta));
      const id = thread.writing.get(index);
      return id === undefined ? nothing : thread.calls.written(id, delta.partial_json);
    }
    case "message_start":
      thread.writing.clear();
      thread.messages.started(event.message.id);
      thread.usage.started(event.message.model, event.message.usage);
      return nothing;
    case "content_block_start": {
      const { index, content_block: block } = event;
      if (block.type === "text" && block.text !== "")
        return some(thread.messages.delta(index, { type: "text_delta", text: block.text }));
      if (block.type !== "tool_use") return nothing;
      thread.writing.set(index, block.id);
      thread.calls.begin(block.id, block.name);
      return nothing;
    }
    case "message_delta":
      return some(thread.usage.ended(event.usage));
    case "message_stop":
      thread.messages.stopped(abandoned_blocks);
      return nothing;
    case "content_block_stop":
    case "ping":
    case "error":
      return nothing;
  }
}

function foldAssistant(thread: Thread, event: Assistant): readonly SessionUpdate[] {
  const { message, error } = event;
  const parent = event.parent_tool_use_id ?? undefined;
  const updates: SessionUpdate[] = [];
  for (const block of message.content) {
    if (block.type === "tool_use") {
      updates.push(...thread.calls.complete(block.id, block.name, block.input, parent));
      if (parent === undefined && isRecord(block.input))
        updates.push(...some(thread.plan.called(block.name, block.input)));
    } else if (parent !== undefined) {
      // Subagents run side by side; their words would mix with the conversation's.
      if (block.type === "text") thread.calls.heard(parent, forPeople(block.text));
    } else if (error !== undefined && block.type === "text") {
      thread.error = { kind: error, text: forPeople(block.text) };
    } else {
      updates.push(...some(thread.messages.whole(message.id ?? event.uuid, block)));
    }
  }
  return updates;
}

function foldUser(thread: Thread, event: User): readonly SessionUpdate[] {
  const { content } = event.message;
  const blocks = typeof content === "string" ? [{ type: "text", text: content } as const] : content;
  const updates: SessionUpdate[] = [];
  for (const block of blocks) {
    if (block.type === "tool_result") {
      const meta = event.tool_result_meta?.find(({ id }) => id === block.tool_use_id);
      const ended = thread.calls.end(block, event.tool_use_result, meta);
      if (ended === undefined) continue;
      updates.push(...ended.updates);
      if (ended.parent === undefined && !ended.outcome.isError) {
        updates.push(...some(thread.plan.answered(ended.name, ended.input, ended.outcome.structured)));
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

function foldResult(thread: Thread, result: Result): readonly SessionUpdate[] {
  const updates: SessionUpdate[] = [];
  const end = endOf(result, thread.error?.kind);
  if (end.kind === "stopped" && thread.error !== undefined) {
    updates.push(update.agentMessage(`${thread.messages.hasSpoken ? "\n\n" : ""}${thread.error.text}`));
  } else if (
    end.kind === "stopped" &&
    !thread.messages.hasSpoken &&
    result.result !== undefined &&
    result.result !== ""
  ) {
    // The result holds the only copy of an answer that came without its message.
    updates.push(update.agentMessage(forPeople(result.result)));
  }
  const isCancelled = end.kind === "stopped" && end.stopReason === "cancelled";
  updates.push(...thread.calls.closeAll(isCancelled ? "Cancelled." : "It did not run to its end."));
  updates.push(...some(thread.usage.result(result)));
  thread.messages.turnEnded();
  thread.error = undefined;
  return updates;
}

function some(one: SessionUpdate | undefined): readonly SessionUpdate[] {
  return one === undefined ? nothing : [one];
}
