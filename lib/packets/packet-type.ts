/**
 * Functions for code that renders packets: a packet's type, its file, and whether it
 * belongs to a todo list or a subagent.
 *
 * They accept packets of any producer: keys in camelCase or snake_case, fields missing,
 * titles already replaced. They never throw; a value that is no packet gives undefined,
 * false or "".
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
  ["notice", "notice"],
]);

/** Decided by `type`, or by `sessionUpdate` when `type` is missing. Undefined: the page ignores the packet. */
export function getPacketType(packet: unknown): PacketType | undefined {
  const type = field(packet, "type");
  if (type == null) return bySessionUpdate.get(field(packet, "sessionUpdate", "session_update"));
  return typeof type === "string" && isPacketType(type) ? type : undefined;
}

/** True for a call of TodoWrite, also after its title has become "6 todos". */
export function isTodoWriteTool(packet: unknown): boolean {
  const title = titleOf(packet).toLowerCase();
  return title === "todowrite" || title === "todo_write" || Array.isArray(field(rawInputOf(packet), "todos"));
}

/** True for a subagent call, also after its title has become the subagent's description. */
export function isTaskTool(packet: unknown): boolean {
  const subagentType = field(rawInputOf(packet), "subagent_type", "subagentType");
  return titleOf(packet).toLowerCase() === "task" || Boolean(subagentType);
}

/** The path of the file that the call works on, relative to `root` when it is below `root`; "" when there is none. */
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

/** Whether an edit creates its file. Undefined when the call is no edit, or shows no diff yet. */
export function isNewFileOperation(packet: unknown): boolean | undefined {
  if (field(packet, "kind") !== "edit") return undefined;
  const [diff] = diffsOf(packet);
  return diff === undefined ? undefined : ["oldText", "old_text"].some((key) => own(diff, key) === "");
}

function isPacketType(type: string): type is PacketType {
  return Object.hasOwn(packets, type);
}

/** The value of the first of these keys that is not null, undefined or "". */
function field(value: unknown, ...keys: readonly string[]): unknown {
  for (const key of keys) {
    const found = own(value, key);
    if (found != null && found !== "") return found;
  }
  return undefined;
}

/** Reads own properties only, so that `constructor` and the like are no fields of a packet. */
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
