/**
 * A second, independent statement of the packet protocol's description.
 *
 * Key sets and reader functions as in the description, without any import of
 * lib/packets, so that the two can be compared.
 */

export type Json = Readonly<Record<string, unknown>>;

/** The keys of each packet in the description, and those that were added by decision. */
const keys: Readonly<Record<string, string>> = {
  agent_message_chunk: "_meta content sessionUpdate type",
  agent_thought_chunk: "_meta content sessionUpdate type",
  tool_call_start: "_meta content kind locations rawInput rawOutput sessionUpdate status title toolCallId type",
  tool_call_progress:
    "_meta content kind locations rawInput rawOutput sessionUpdate status timestamp title toolCallId type",
  agent_plan_update: "_meta entries sessionUpdate timestamp type",
  prompt_response: "_meta stopReason type",
  error: "message type",
  artifact_created: "artifact type",
};

/** The keys a packet of this type has; undefined when the description has no such packet. */
export function keysOf(type: string): readonly string[] | undefined {
  return keys[type]?.split(" ");
}

export const toolKinds: Readonly<Record<string, string>> = {
  glob: "search",
  grep: "search",
  read: "read",
  write: "edit",
  edit: "edit",
  bash: "execute",
  task: "other",
  todowrite: "other",
  webfetch: "other",
  websearch: "other",
};

export function packetType(packet: Json): unknown {
  if (packet["type"] !== undefined) return packet["type"];
  switch (packet["sessionUpdate"]) {
    case "agent_message_chunk":
      return "agent_message_chunk";
    case "tool_call":
      return "tool_call_start";
    case "tool_call_update":
      return "tool_call_progress";
    case "plan":
      return "agent_plan_update";
    default:
      return undefined;
  }
}

export function isTodoWriteTool(packet: Json): boolean {
  const title = lower(packet["title"]);
  if (title === "todowrite" || title === "todo_write") return true;
  const rawInput = rawInputOf(packet);
  return Boolean(rawInput?.["todos"]) && Array.isArray(rawInput?.["todos"]);
}

export function isTaskTool(packet: Json): boolean {
  if (lower(packet["title"]) === "task") return true;
  const rawInput = rawInputOf(packet);
  return Boolean(rawInput?.["subagent_type"] || rawInput?.["subagentType"]);
}

export function getFilePath(packet: Json): string {
  const rawInput = rawInputOf(packet);
  const named = rawInput?.["file_path"] || rawInput?.["filePath"] || rawInput?.["path"];
  if (named) return text(named);
  for (const item of itemsOf(packet)) if (item["type"] === "diff" && item["path"]) return text(item["path"]);
  return typeof packet["title"] === "string" && packet["title"].includes("/") ? packet["title"] : "";
}

export function isNewFileOperation(packet: Json): boolean | undefined {
  if (packet["kind"] !== "edit") return undefined;
  const diff = itemsOf(packet).find((item) => item["type"] === "diff");
  return diff === undefined ? undefined : diff["oldText"] === "";
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function lower(title: unknown): string | undefined {
  return typeof title === "string" ? title.toLowerCase() : undefined;
}

function rawInputOf(packet: Json): Json | undefined {
  return (packet["raw_input"] ?? packet["rawInput"] ?? undefined) as Json | undefined;
}

function itemsOf(packet: Json): readonly Json[] {
  return Array.isArray(packet["content"]) ? packet["content"] : [];
}
