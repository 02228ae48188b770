/**
 * Tools: an ACP tool call in, the name and the kind a packet gives it out.
 *
 * Agents that name their tools are believed. For others the name is found by the
 * input's shape and then by ACP's kind, so that each call has the fields its readers
 * look for.
 */
import type { Meta, ToolCallContent, ToolKind } from "../acp/index.ts";
import { isRecord } from "../schema/index.ts";
import type { PacketToolKind } from "./packet.ts";

export type Fields = Readonly<Record<string, unknown>>;

/** A tool call as far as it is known by now. */
export interface ToolFacts {
  readonly name: string | undefined;
  readonly title: string;
  readonly kind: ToolKind | undefined;
  readonly input: Fields;
  readonly content: readonly ToolCallContent[];
}

/** Tools whose input and output have a form of their own. */
export type ToolShape = "search" | "read" | "write" | "edit" | "notebook" | "bash" | "task" | "todo" | "other";

const shapes: ReadonlyMap<string, ToolShape> = new Map<string, ToolShape>([
  ["glob", "search"],
  ["grep", "search"],
  ["ls", "search"],
  ["list", "search"],
  ["read", "read"],
  ["write", "write"],
  ["edit", "edit"],
  ["multiedit", "edit"],
  ["notebookedit", "notebook"],
  ["bash", "bash"],
  ["shell", "bash"],
  ["powershell", "bash"],
  ["task", "task"],
  ["todowrite", "todo"],
]);

const kinds: Readonly<Record<ToolShape, PacketToolKind>> = {
  search: "search",
  read: "read",
  write: "edit",
  edit: "edit",
  notebook: "edit",
  bash: "execute",
  task: "other",
  todo: "other",
  other: "other",
};

/** One tool under several names has the one that readers look for. */
const aliases: ReadonlyMap<string, string> = new Map([
  ["agent", "task"],
  ["todo_write", "todowrite"],
]);

/** The tool's name in lower case. */
export function toolName(facts: ToolFacts): string {
  const name = (facts.name ?? nameInTitle(facts) ?? nameByInput(facts) ?? nameByKind(facts)).toLowerCase();
  return aliases.get(name) ?? name;
}

export function shapeOf(name: string): ToolShape {
  return shapes.get(name) ?? "other";
}

export function packetKind(name: string, kind: ToolKind | undefined): PacketToolKind {
  const shape = shapes.get(name);
  if (shape !== undefined) return kinds[shape];
  return kind === "read" || kind === "edit" || kind === "search" || kind === "execute" ? kind : "other";
}

/** The name an agent gives its tool, where ACP has room for it or in a well-known extension. */
export function namedTool(name: string | null | undefined, meta: Meta | null | undefined): string | undefined {
  const claude = meta?.["claudeCode"];
  const candidates = [name, meta?.["tool_name"], meta?.["toolName"], isRecord(claude) ? claude["toolName"] : undefined];
  return candidates.find((one): one is string => typeof one === "string" && one !== "");
}

/** Some agents announce a call with its tool's name for a title. */
function nameInTitle({ title, kind }: ToolFacts): string | undefined {
  const name = title.toLowerCase();
  const shape = shapes.get(aliases.get(name) ?? name);
  // A command "list" is not the tool of that name.
  return shape !== undefined && (kind === undefined || packetKind("", kind) === kinds[shape]) ? name : undefined;
}

function nameByInput({ input, kind }: ToolFacts): string | undefined {
  const has = (...keys: readonly string[]): boolean => keys.some((key) => Object.hasOwn(input, key));
  if (has("subagent_type", "subagentType")) return "task";
  if (Array.isArray(input["todos"])) return "todowrite";
  if (has("command", "cmd")) return "bash";
  if (has("old_string", "oldString", "edits", "patchText")) return "edit";
  if (has("file_path", "filePath") && has("content")) return "write";
  if (has("pattern")) return kind === "search" && !has("output_mode", "include", "glob") ? "glob" : "grep";
  if (has("url")) return "webfetch";
  return has("query") && kind === "fetch" ? "websearch" : undefined;
}

function nameByKind({ kind = "other", content }: ToolFacts): string {
  const [diff] = content.filter((item) => item.type === "diff");
  if (kind === "edit" && diff !== undefined) return diff.oldText == null ? "write" : "edit";
  return kind === "execute" ? "bash" : kind === "search" ? "grep" : kind === "fetch" ? "webfetch" : kind;
}
