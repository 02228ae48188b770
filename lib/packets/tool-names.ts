/**
 * Decides the tool name and kind that packets give an ACP tool call.
 *
 * The name the agent gives is used as it is. When the agent gives none, the name is
 * inferred from the title, then from the keys of the input, then from ACP's kind.
 */
import type { Meta, ToolCallContent, ToolKind } from "../acp/index.ts";
import { type Fields, isRecord } from "../schema/index.ts";
import type { PacketToolKind } from "./packet.ts";

/** The parts of a tool call that its name is inferred from. */
export interface ToolFacts {
  readonly name: string | undefined;
  readonly title: string;
  readonly kind: ToolKind | undefined;
  readonly input: Fields;
  readonly content: readonly ToolCallContent[];
}

/** Groups of tools with the same packet form of input and output; "other" has no special form. */
export type ToolShape =
  | "search"
  | "read"
  | "write"
  | "edit"
  | "patch"
  | "notebook"
  | "bash"
  | "task"
  | "todo"
  | "other";

const shapes: ReadonlyMap<string, ToolShape> = new Map<string, ToolShape>([
  ["glob", "search"],
  ["grep", "search"],
  ["ls", "search"],
  ["list", "search"],
  ["read", "read"],
  ["write", "write"],
  ["edit", "edit"],
  ["multiedit", "edit"],
  ["apply_patch", "patch"],
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
  patch: "edit",
  notebook: "edit",
  bash: "execute",
  task: "other",
  todo: "other",
  other: "other",
};

/** Other names of a tool, mapped to the name that readers of packets expect. */
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

/** The tool name an agent sends: in ACP's `name` field, or in one of the `_meta` keys that agents use for it. */
export function namedTool(name: string | null | undefined, meta: Meta | null | undefined): string | undefined {
  const claude = meta?.["claudeCode"];
  const candidates = [name, meta?.["tool_name"], meta?.["toolName"], isRecord(claude) ? claude["toolName"] : undefined];
  return candidates.find((one): one is string => typeof one === "string" && one !== "");
}

/** Some agents use the tool's name as the title of the call. */
function nameInTitle({ title, kind }: ToolFacts): string | undefined {
  const name = title.toLowerCase();
  const shape = shapes.get(aliases.get(name) ?? name);
  // The kind has to fit: a shell command titled "list" is not the tool `list`.
  return shape !== undefined && (kind === undefined || packetKind("", kind) === kinds[shape]) ? name : undefined;
}

/** The model writes the input, so the kind that the agent sends has to fit: any tool may take a field of this name. */
function nameByInput({ input, kind }: ToolFacts): string | undefined {
  const has = (...keys: readonly string[]): boolean => keys.some((key) => Object.hasOwn(input, key));
  const mayBe = (...fitting: readonly ToolKind[]): boolean => kind === undefined || fitting.includes(kind);
  if (has("subagent_type", "subagentType") && mayBe("think")) return "task";
  if (Array.isArray(input["todos"]) && mayBe("think")) return "todowrite";
  if (has("command", "cmd") && mayBe("execute")) return "bash";
  if (has("old_string", "oldString", "edits", "patchText") && mayBe("edit")) return "edit";
  if (has("file_path", "filePath") && has("content") && mayBe("edit")) return "write";
  if (has("pattern") && mayBe("search"))
    return kind === "search" && !has("output_mode", "include", "glob") ? "glob" : "grep";
  if (has("url") && mayBe("fetch")) return "webfetch";
  return has("query") && kind === "fetch" ? "websearch" : undefined;
}

function nameByKind({ kind = "other", content }: ToolFacts): string {
  const [diff] = content.filter((item) => item.type === "diff");
  if (kind === "edit" && diff !== undefined) return diff.oldText == null ? "write" : "edit";
  return kind === "execute" ? "bash" : kind === "search" ? "grep" : kind === "fetch" ? "webfetch" : kind;
}
