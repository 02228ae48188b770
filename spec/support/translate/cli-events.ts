/**
 * Short functions that make the CLI's events, and the updates that result from them.
 */
import type { SessionUpdate, ToolCallChanged, ToolCallStarted } from "../../../lib/acp/index.ts";
import { ClaudeEvent, type ConversationEvent } from "../../../lib/claude/index.ts";
import { fold, TranslationState } from "../../../lib/claude/translate/index.ts";
import { type ClientView } from "../../../lib/display/index.ts";

export const cwd = "/home/dev/project";

export function viewOf(fields: Partial<ClientView> = {}): ClientView {
  return {
    cwd,
    showsTerminals: false,
    showsNotices: false,
    showsCompaction: false,
    textOf: () => undefined,
    ...fields,
  };
}

/** A conversation that takes events as they are on the wire. */
export class TranslatorHarness {
  readonly state: TranslationState;

  constructor(view: Partial<ClientView> = {}) {
    this.state = new TranslationState(viewOf(view));
  }

  take(...lines: readonly object[]): readonly SessionUpdate[] {
    return lines.flatMap((line) => fold(this.state, eventOf(line)));
  }
}

function eventOf(line: object): ConversationEvent {
  // Whatever cannot be read is an `Unknown`, and control frames are not made here.
  return ClaudeEvent.read(line) as ConversationEvent;
}

export function toolUse(name: string, input: unknown, id = "call-1"): object {
  return { type: "tool_use", id, name, input };
}

export function assistant(content: readonly object[], more: object = {}): object {
  return { type: "assistant", message: { id: "msg-1", content }, parent_tool_use_id: null, ...more };
}

export function toolResult(content: unknown, more: object = {}, id = "call-1", isError = false): object {
  const block = { type: "tool_result", tool_use_id: id, content, ...(isError && { is_error: true }) };
  return { type: "user", message: { role: "user", content: [block] }, parent_tool_use_id: null, ...more };
}

export function stream(event: object, more: object = {}): object {
  return { type: "stream_event", event, parent_tool_use_id: null, ...more };
}

export function started(id = "msg-1"): object {
  return stream({ type: "message_start", message: { id, model: "opus", usage: { input_tokens: 1 } } });
}

export function textDelta(text: string, index = 0): object {
  return stream({ type: "content_block_delta", index, delta: { type: "text_delta", text } });
}

export function inputDelta(partial_json: string, index = 0): object {
  return stream({ type: "content_block_delta", index, delta: { type: "input_json_delta", partial_json } });
}

export function blockStarted(block: object, index = 0): object {
  return stream({ type: "content_block_start", index, content_block: block });
}

export function result(more: object = {}): object {
  return {
    type: "result",
    subtype: "success",
    is_error: false,
    stop_reason: "end_turn",
    terminal_reason: "completed",
    ...more,
  };
}

/** The announcement of a call with this input. */
export function opening(name: string, input: unknown, view: Partial<ClientView> = {}): ToolCallStarted {
  const call = new TranslatorHarness(view)
    .take(assistant([toolUse(name, input)]))
    .find((one) => one.sessionUpdate === "tool_call");
  if (call?.sessionUpdate !== "tool_call") throw new Error(`${name} is not announced`);
  return call;
}

/** The end of a call with this input and this result. */
export function ending(
  name: string,
  input: unknown,
  ended: {
    readonly content?: unknown;
    readonly structured?: unknown;
    readonly meta?: object;
    readonly isError?: boolean;
  },
  view: Partial<ClientView> = {},
): ToolCallChanged {
  const translator = new TranslatorHarness(view);
  translator.take(assistant([toolUse(name, input)]));
  const more = {
    tool_use_result: ended.structured,
    ...(ended.meta && { tool_result_meta: [{ id: "call-1", ...ended.meta }] }),
  };
  const last = translator.take(toolResult(ended.content ?? "", more, "call-1", ended.isError)).at(-1);
  if (last?.sessionUpdate !== "tool_call_update") throw new Error(`${name} does not end`);
  return last;
}

/** All text of a call's content, one line an entry; a diff by its two sides. */
export function contentOf({
  content,
}: Pick<ToolCallStarted | ToolCallChanged, "content">): readonly string[] | undefined {
  return content?.map((part) => {
    if (part.type === "diff") return `${part.path}: ${JSON.stringify(part.oldText)} -> ${JSON.stringify(part.newText)}`;
    if (part.type === "terminal") return `terminal ${part.terminalId}`;
    return part.content.type === "text" ? part.content.text : `[${part.content.type}]`;
  });
}
