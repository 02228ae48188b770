/**
 * The packet protocol's description as code: its key sets and reader functions.
 *
 * Written without lib/packets, so that specs can compare the two.
 */

export type Json = Readonly<Record<string, unknown>>;

/** The keys of each packet type in the description, and of agent_thought_chunk, which was added to it. */
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

/** The keys of a packet of this type; undefined when the description lacks the type. */
export function keysOf(type: string): readonly string[] | undefined {
  return keys[type]?.split(" ");
}

/** The inputs that the description has for the tools of each kind; a question mark: the key may be missing. */
const inputs: Readonly<Record<string, readonly string[]>> = {
  search: ["pattern path?"],
  read: ["filePath"],
  edit: ["filePath content", "filePath old_string new_string"],
  execute: ["command description"],
};

/** Whether the input of a call has the keys of the description, if it is that of a tool which the description has. */
export function hasDescribedInput(packet: { readonly kind: string; readonly rawInput: Json }): boolean {
  const given = Object.keys(packet.rawInput);
  const described = inputs[packet.kind];
  return (
    described === undefined ||
    !given.some((key) => ["pattern", "filePath", "command"].includes(key)) ||
    described.some((shape) => {
      const words = shape.split(" ");
      const needed = words.filter((key) => !key.endsWith("?"));
      const known = new Set(words.map((key) => key.replace("?", "")));
      return needed.every((key) => given.includes(key)) && given.every((key) => known.has(key));
    })
  );
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
