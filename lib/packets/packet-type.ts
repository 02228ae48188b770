/**
 * Reader: a packet of any writer in, what it is about out.
 *
 * Keys may be in camelCase or in snake_case, fields may be missing, and titles may
 * have changed on the way; whatever is no packet is none and never an error.
 */
import { isRecord } from "../schema/index.ts";
import { packets } from "./packet.ts";
import { shownPath } from "./path.ts";

export type PacketType = keyof typeof packets;

const bySessionUpdate: ReadonlyMap<unknown, PacketType> = new Map<unknown, PacketType>([
  ["agent_message_chunk", "agent_message_chunk"],
  ["agent_thought_chunk", "agent_thought_chunk"],
  ["user_message_chunk", "user_message_chunk"],
  ["tool_call", "tool_call_start"],
  ["tool_call_update", "tool_call_progress"],
  ["plan", "agent_plan_update"],
]);

/** By `type`, and by `sessionUpdate` where there is none; undefined for what is to be ignored. */
export function getPacketType(packet: unknown): PacketType | undefined {
  const type = field(packet, "type");
  if (type == null) return bySessionUpdate.get(field(packet, "sessionUpdate", "session_update"));
  return typeof type === "string" && isPacketType(type) ? type : undefined;
}

/** A list of todos, also when its title has become "6 todos". */
export function isTodoWriteTool(packet: unknown): boolean {
  const title = titleOf(packet).toLowerCase();
  return title === "todowrite" || title === "todo_write" || Array.isArray(field(rawInputOf(packet), "todos"));
}

/** A subagent, also when its title has become what it does. */
export function isTaskTool(packet: unknown): boolean {
  const named = field(rawInputOf(packet), "subagent_type", "subagentType");
  return titleOf(packet).toLowerCase() === "task" || Boolean(named);
}

/** The file a packet is about, without the directory `root` when it is below it; "" when there is none. */
export function getFilePath(packet: unknown, root?: string): string {
  const title = titleOf(packet);
  const candidates = [
    field(rawInputOf(packet), "file_path", "filePath", "path"),
    ...diffsOf(packet).map((diff) => field(diff, "path")),
    title.includes("/") || title.includes("\\") ? title : "",
  ];
  const path = candidates.find((one): one is string => typeof one === "string" && one !== "");
  return path === undefined ? "" : shownPath(path, root);
}

/** Whether an edit makes a new file; undefined when it is no edit, or not known yet. */
export function isNewFileOperation(packet: unknown): boolean | undefined {
  if (field(packet, "kind") !== "edit") return undefined;
  const [diff] = diffsOf(packet);
  return diff === undefined ? undefined : ["oldText", "old_text"].some((key) => own(diff, key) === "");
}

function isPacketType(type: string): type is PacketType {
  return Object.hasOwn(packets, type);
}

/** The first of these keys that has a value. */
function field(value: unknown, ...keys: readonly string[]): unknown {
  for (const key of keys) {
    const found = own(value, key);
    if (found != null && found !== "") return found;
  }
  return undefined;
}

/** What every object inherits is no field of a packet. */
function own(value: unknown, key: string): unknown {
  return isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

function titleOf(packet: unknown): string {
  const title = field(packet, "title");
  return typeof title === "string" ? title : "";
}

function rawInputOf(packet: unknown): unknown {
  return field(packet, "raw_input", "rawInput");
}

function diffsOf(packet: unknown): readonly unknown[] {
  const content = field(packet, "content");
  return Array.isArray(content) ? content.filter((item) => field(item, "type") === "diff") : [];
}
