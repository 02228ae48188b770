/**
 * Marks the updates and questions of one engine in a session that has several.
 *
 * The engine's name is added before the first chunk of each message and before each title,
 * ids get a prefix so that those of two engines cannot collide, and `_meta.engine` names
 * the engine for programs.
 */
import type { SessionUpdate, ToolCallContent, ToolCallUpdate } from "../../acp/index.ts";

type UpdateMeta = Readonly<Record<string, unknown>> | null | undefined;

/** Keys of `_meta` whose `terminal_id` is the id of the tool call. */
const terminalKeys = ["terminal_info", "terminal_output", "terminal_exit"] as const;

export class UpdateTagger {
  readonly #engine: string;
  readonly #name: string;
  /** The message that the last chunk belonged to. */
  #message: string | undefined;
  #separator = "";

  constructor(engine: { readonly id: string; readonly name: string }) {
    this.#engine = engine.id;
    this.#name = engine.name;
  }

  /** The name as written before texts. */
  get label(): string {
    return `[${this.#name}] `;
  }

  /** Another engine has spoken before: the next message begins a paragraph, also in a client that joins messages. */
  separate(): void {
    this.#separator = "\n\n";
  }

  tag(update: SessionUpdate): SessionUpdate {
    switch (update.sessionUpdate) {
      case "agent_message_chunk":
      case "agent_thought_chunk": {
        const message = `${update.sessionUpdate} ${update.messageId ?? ""}`;
        const isFirst = message !== this.#message;
        this.#message = message;
        const { content } = update;
        const isLabelled = content.type === "text" && isFirst;
        const text = isLabelled ? `${this.#separator}${this.label}${content.text}` : undefined;
        if (isLabelled) this.#separator = "";
        return {
          ...update,
          ...(text !== undefined && content.type === "text" && { content: { ...content, text } }),
          ...(update.messageId != null && { messageId: this.id(update.messageId) }),
          _meta: this.#meta(update._meta, ""),
        };
      }
      case "tool_call":
      case "tool_call_update":
        this.#message = undefined;
        return { ...update, ...this.#call(update) };
      case "user_message_chunk":
      case "usage_update":
        return { ...update, _meta: this.#meta(update._meta, "") };
      case "plan":
        return {
          ...update,
          entries: update.entries.map((entry) => ({ ...entry, content: `${this.label}${entry.content}` })),
          _meta: this.#meta(update._meta, ""),
        };
      case "notice":
        return { ...update, title: `${this.label}${update.title}`, _meta: this.#meta(update._meta, "") };
      case "available_commands_update":
      case "compaction_summary_chunk":
      case "compaction_update":
      case "config_option_update":
      case "current_mode_update":
      case "session_info_update":
        return update;
    }
  }

  /** The tool call of a question. */
  toolCall(call: ToolCallUpdate): ToolCallUpdate {
    return { ...call, ...this.#call(call) };
  }

  /** An id of this engine as the client knows it. */
  id(id: string): string {
    return `${this.#engine}:${id}`;
  }

  #call(call: {
    readonly toolCallId: string;
    readonly title?: string | null | undefined;
    readonly content?: readonly ToolCallContent[] | null | undefined;
    readonly _meta?: UpdateMeta;
  }): object {
    const { toolCallId, title, content, _meta } = call;
    return {
      toolCallId: this.id(toolCallId),
      ...(title != null && { title: `${this.label}${title}` }),
      // A terminal that the client shows for the call has the id of the call.
      ...(content != null && {
        content: content.map((part) =>
          part.type === "terminal" && part.terminalId === toolCallId
            ? { ...part, terminalId: this.id(toolCallId) }
            : part,
        ),
      }),
      _meta: this.#meta(_meta, toolCallId),
    };
  }

  #meta(meta: UpdateMeta, toolCallId: string): Readonly<Record<string, unknown>> {
    const tagged: Record<string, unknown> = { ...meta, engine: this.#engine };
    for (const key of terminalKeys) {
      const value = tagged[key];
      if (typeof value !== "object" || value === null || !("terminal_id" in value)) continue;
      if (value.terminal_id === toolCallId) tagged[key] = { ...value, terminal_id: this.id(toolCallId) };
    }
    return tagged;
  }
}
