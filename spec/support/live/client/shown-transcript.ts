/**
 * What the user saw in the editor, one line for each item, in the order of the wire.
 *
 * Consecutive text is one line. A tool call has a line when it appears, when its title
 * changes and when it ends, with its final content. The project's directory reads `~`.
 * Invisible updates (usage, commands, options) are left out.
 */
import type {
  RequestPermissionRequest,
  SessionNotification,
  SessionUpdate,
  ToolCallContent,
  ToolCallUpdate,
} from "@agentclientprotocol/sdk";
import type { AcpClient } from "./acp-client.ts";
import { isObject, type JsonObject, textAt } from "../../json.ts";

export function transcript({ program }: AcpClient, cwd: string, sessionId?: string): readonly string[] {
  const lines: string[] = [];
  const prompts = new Set<unknown>();
  const calls = new Map<string, ToolCallUpdate>();
  /** The kind of the last text, so that further text of this kind is appended. */
  let speaking = "";
  const tell = (line: string): void => {
    speaking = "";
    lines.push(line);
  };
  const speak = (verb: string, text: string): void => {
    if (speaking === verb) lines.push(`${lines.pop() ?? ""}${text}`);
    else lines.push(`${verb} ${text}`);
    speaking = verb;
  };
  for (const { from, message } of program.wire.items) {
    if (message === undefined) continue;
    const { id, method, params } = message;
    if (from === "client") {
      if (method !== "session/prompt" || !isOf(params, sessionId)) continue;
      prompts.add(id);
      // The user's own text separates the text before and after it.
      speaking = "";
    } else if (method === undefined) {
      if (prompts.delete(id)) tell(answerLine(message));
    } else if (isOf(params, sessionId)) {
      // The wire check holds each of these against the schema.
      if (method === "session/update") seen((params as unknown as SessionNotification).update);
      else if (method === "session/request_permission") tell(askedLine(params as unknown as RequestPermissionRequest));
      else if (method === "elicitation/create") tell(`form ${textAt(params, "message")}`);
    }
  }
  return lines.map((line) => line.replaceAll(cwd, "~"));

  function seen(update: SessionUpdate): void {
    switch (update.sessionUpdate) {
      case "agent_message_chunk":
      case "agent_thought_chunk":
      case "user_message_chunk": {
        const { content } = update;
        return speak(verbs[update.sessionUpdate], content.type === "text" ? content.text : `(${content.type})`);
      }
      case "tool_call":
      case "tool_call_update":
        return seenCall(update);
      case "plan":
        return tell(`plan ${update.entries.map(({ status, content }) => `${marks[status]} ${content}`).join(", ")}`);
      case "current_mode_update":
        return tell(`mode ${update.currentModeId}`);
      case "session_info_update":
        return tell(`title ${update.title ?? ""}`);
      case "notice":
        return tell(`notice ${update.severity} ${update.title}`);
      case "compaction_update":
        return tell(`compaction ${update.status}`);
      case "available_commands_update":
      case "compaction_summary_chunk":
      case "config_option_update":
      case "usage_update":
        return;
    }
  }

  function seenCall(update: SessionUpdate & { readonly toolCallId: string }): void {
    const before = calls.get(update.toolCallId);
    const { sessionUpdate, ...said } = update as ToolCallUpdate & { readonly sessionUpdate: string };
    const now: ToolCallUpdate = { ...before, ...said };
    calls.set(update.toolCallId, now);
    if (sessionUpdate === "tool_call") tell(`calls ${now.kind} ${now.title}`);
    else if (said.title != null && said.title !== before?.title && !isEnd(now)) tell(`titled ${now.title}`);
    if (isEnd(now) && !(before && isEnd(before))) tell(`${now.status} ${now.title}${shown(now.content)}`);
  }
}

/** What a permission request shows the user. */
function askedLine({ toolCall, options }: RequestPermissionRequest): string {
  return `asks ${toolCall.title}${shown(toolCall.content)} [${options.map(({ name }) => name).join(" | ")}]`;
}

function isEnd({ status }: ToolCallUpdate): boolean {
  return status === "completed" || status === "failed";
}

function shown(content: ToolCallUpdate["content"]): string {
  return (content ?? []).map((part) => ` · ${shownPart(part)}`).join("");
}

function shownPart(part: ToolCallContent): string {
  switch (part.type) {
    case "content":
      return part.content.type === "text" ? part.content.text : `(${part.content.type})`;
    case "diff":
      return `${part.path}: ${JSON.stringify(part.oldText)} -> ${JSON.stringify(part.newText)}`;
    case "terminal":
      return `(terminal)`;
  }
}

function answerLine({ result, error }: JsonObject): string {
  if (isObject(error)) return `answers ${String(error["code"])} ${textAt(error, "message")}`;
  return `answers ${textAt(result, "stopReason")}`;
}

function isOf(params: unknown, sessionId: string | undefined): params is JsonObject {
  return isObject(params) && (sessionId === undefined || params["sessionId"] === sessionId);
}

const verbs = { agent_message_chunk: "says", agent_thought_chunk: "thinks", user_message_chunk: "heard" } as const;
const marks = { completed: "[x]", in_progress: "[>]", pending: "[ ]" } as const;
