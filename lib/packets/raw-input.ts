/**
 * Builds the `rawInput` of a packet: the tool's input under the keys that readers expect.
 *
 * An ACP agent omits from `rawInput` what the content of the call already shows, such
 * as the new text of a file or a subagent's prompt. This module restores it. Keys that
 * it does not know are kept as they are.
 */
import { type Diff, isAbsolutePath, type ToolCallContent, type ToolCallLocation } from "../acp/index.ts";
import { type Fields, isRecord, textIn } from "../schema/index.ts";
import type { PacketPlanEntry } from "./packet.ts";
import type { ToolShape } from "./tool-names.ts";

export interface TodoItem {
  readonly content: string;
  readonly status: PacketPlanEntry["status"];
  /** The wording shown while the todo is in progress. */
  readonly activeForm: string;
}

export interface AskedTool {
  readonly shape: ToolShape;
  readonly title: string;
  readonly input: Fields;
  /** The content the agent sent before the tool ran. */
  readonly opening: readonly ToolCallContent[];
  readonly locations: readonly ToolCallLocation[];
}

export function rawInputOf(tool: AskedTool): Fields {
  const { shape, input } = tool;
  switch (shape) {
    case "search":
      return typeof input["pattern"] === "string" || "path" in input ? input : { pattern: tool.title, ...input };
    case "read":
      return { filePath: pathOf(tool), ...withoutPath(input) };
    case "write":
      return { filePath: pathOf(tool), content: diffsIn(tool)[0]?.newText ?? "", ...withoutPath(input) };
    case "edit":
      return { filePath: pathOf(tool), ...replacementsOf(tool) };
    case "patch":
      return { ...patchOf(tool), ...input };
    case "notebook":
      return { filePath: pathOf(tool), new_source: diffsIn(tool)[0]?.newText ?? "", ...withoutPath(input) };
    case "bash":
      return { ...input, command: commandOf(tool), description: textIn(input, "description") ?? "" };
    case "task":
      return { ...input, ...taskOf(tool) };
    case "todo":
      return { ...input, todos: todosOf(input["todos"]) };
    case "other":
      return input;
  }
}

/** Reads a todo list in any of the forms that agents send. */
export function todosOf(todos: unknown): readonly TodoItem[] {
  const list: readonly unknown[] = Array.isArray(todos) ? todos : [];
  return list.filter(isRecord).map((todo) => {
    const content = textIn(todo, "content", "title", "description") ?? "";
    const activeForm = textIn(todo, "activeForm", "active_form") ?? content;
    return { content, status: statusOf(todo["status"]), activeForm };
  });
}

/** The file a tool works on: an absolute path where one is known, "" when the call names no file. */
export function pathOf(tool: AskedTool): string {
  const named = textIn(tool.input, ...pathKeys) ?? "";
  return isAbsolutePath(named) ? named : (diffsIn(tool)[0]?.path ?? tool.locations[0]?.path ?? named);
}

const pathKeys = ["filePath", "file_path", "notebook_path", "path", "abs_path"] as const;

function withoutPath({ filePath: _1, file_path: _2, notebook_path: _3, ...rest }: Fields): Fields {
  return rest;
}

function diffsIn({ opening }: AskedTool): readonly Diff[] {
  return opening.filter((item) => item.type === "diff");
}

function replacementsOf(tool: AskedTool): Fields {
  const { oldString, newString, ...input } = withoutPath(tool.input);
  const diffs = diffsIn(tool).map(({ oldText, newText }) => ({ old_string: oldText ?? "", new_string: newText }));
  if (diffs.length > 1 && !("old_string" in input)) return { edits: diffs, ...input };
  if (Array.isArray(input["edits"])) return input;
  const [first = { old_string: "", new_string: "" }] = diffs;
  const given = { ...(typeof oldString === "string" && { old_string: oldString }) };
  return { ...first, ...given, ...(typeof newString === "string" && { new_string: newString }), ...input };
}

/** A patch of one file has the form of a write or an edit; each edit of several files names its own. */
function patchOf(tool: AskedTool): Fields {
  const diffs = diffsIn(tool);
  const [first] = diffs;
  if (diffs.length === 1 && first?.oldText == null) return { filePath: pathOf(tool), content: first?.newText ?? "" };
  const isOneFile = diffs.every(({ path }) => path === first?.path);
  const edits = diffs.map(({ path, oldText, newText }) => ({
    ...(!isOneFile && { filePath: path }),
    old_string: oldText ?? "",
    new_string: newText,
  }));
  return { filePath: pathOf(tool), ...(edits.length > 1 ? { edits } : edits[0]) };
}

function commandOf({ input, title }: AskedTool): string {
  const given = input["command"] ?? input["cmd"];
  if (Array.isArray(given)) return given.map(String).join(" ");
  return typeof given === "string" ? given : title;
}

function taskOf({ input, opening, title }: AskedTool): Fields {
  const [first] = opening;
  const shown = first?.type === "content" && first.content.type === "text" ? first.content.text : "";
  return {
    prompt: textIn(input, "prompt") ?? shown,
    description: textIn(input, "description") ?? title,
    subagent_type: textIn(input, "subagent_type", "subagentType") ?? "general-purpose",
  };
}

/** A cancelled todo counts as completed: packets have no such status. */
function statusOf(status: unknown): TodoItem["status"] {
  if (status === "in_progress" || status === "completed") return status;
  return status === "cancelled" ? "completed" : "pending";
}
