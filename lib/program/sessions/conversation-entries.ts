/**
 * Folds session updates into the entries of a conversation: messages, thoughts, tool calls.
 */
import type { SessionUpdate, ToolCallContent } from "../../acp/index.ts";

export type ConversationEntry = { readonly kind: "user" | "agent" | "thought"; readonly text: string } | ToolEntry;

export interface ToolEntry {
  readonly kind: "tool";
  readonly id: string;
  readonly title: string;
  readonly status: string;
  readonly diffs: readonly { readonly path: string; readonly oldText: string; readonly newText: string }[];
  readonly output: string;
}

const speakers = {
  user_message_chunk: "user",
  agent_message_chunk: "agent",
  agent_thought_chunk: "thought",
} as const;

export function conversationEntries(updates: readonly SessionUpdate[]): readonly ConversationEntry[] {
  const entries: ConversationEntry[] = [];
  const tools = new Map<string, number>();
  for (const update of updates) {
    switch (update.sessionUpdate) {
      case "user_message_chunk":
      case "agent_message_chunk":
      case "agent_thought_chunk": {
        const kind = speakers[update.sessionUpdate];
        const text = update.content.type === "text" ? update.content.text : `[${update.content.type}]`;
        const last = entries.at(-1);
        if (last?.kind === kind) entries[entries.length - 1] = { kind, text: last.text + text };
        else entries.push({ kind, text });
        break;
      }
      case "tool_call":
      case "tool_call_update": {
        const at = tools.get(update.toolCallId);
        const before = at === undefined ? undefined : entries[at];
        const known = before?.kind === "tool" ? before : undefined;
        const content = update.content ?? undefined;
        const entry: ToolEntry = {
          kind: "tool",
          id: update.toolCallId,
          title: update.title ?? known?.title ?? "",
          status: update.status ?? known?.status ?? "pending",
          diffs: content === undefined ? (known?.diffs ?? []) : diffsOf(content),
          output: content === undefined ? (known?.output ?? "") : textOf(content),
        };
        if (at === undefined) tools.set(update.toolCallId, entries.push(entry) - 1);
        else entries[at] = entry;
        break;
      }
      case "plan":
      case "available_commands_update":
      case "current_mode_update":
      case "config_option_update":
      case "session_info_update":
      case "usage_update":
      case "notice":
      case "compaction_update":
      case "compaction_summary_chunk":
        break;
    }
  }
  return entries;
}

function diffsOf(content: readonly ToolCallContent[]): ToolEntry["diffs"] {
  return content.flatMap((part) =>
    part.type === "diff" ? [{ path: part.path, oldText: part.oldText ?? "", newText: part.newText }] : [],
  );
}

function textOf(content: readonly ToolCallContent[]): string {
  return content
    .map((part) => (part.type === "content" && part.content.type === "text" ? part.content.text : ""))
    .filter((text) => text !== "")
    .join("\n");
}
