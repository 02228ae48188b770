/**
 * Other tools: skills, tool search, MCP servers' tools, and any we do not know.
 */
import { oneLine } from "../view.ts";
import { type Input, textIn, type ToolFamily } from "./family.ts";

export const skill: ToolFamily = {
  names: ["skill"],
  kind: "other",
  titleFields: ["skill", "command"],
  open: (input) => ({
    title: oneLine(`Use the skill ${textIn(input, "skill", "command", "name") ?? ""}`.trim()),
    rawInput: input,
  }),
};

export const toolSearch: ToolFamily = {
  names: ["toolsearch"],
  kind: "search",
  titleFields: ["query"],
  open: (input) => ({ title: oneLine(`Look for tools: ${textIn(input, "query") ?? ""}`), rawInput: input }),
};

/** Deletes and moves keep their protocol kinds. */
export const remove: ToolFamily = {
  names: ["delete", "remove", "delete_file", "rm"],
  kind: "delete",
  titleFields: ["path", "file_path"],
  open: (input) => ({
    title: oneLine(`Delete ${textIn(input, "path", "file_path", "filePath") ?? "a file"}`),
    rawInput: input,
  }),
};

export const move: ToolFamily = {
  names: ["move", "rename", "move_file", "mv"],
  kind: "move",
  titleFields: ["path", "source"],
  open: (input) => ({ title: oneLine(`Move ${textIn(input, "path", "source", "from") ?? "a file"}`), rawInput: input }),
};

/** A tool without a family: named as it names itself, or as its server does. */
export const unknownTool: ToolFamily = {
  names: [],
  kind: "other",
  titleFields: [],
  open: (input, _view, name) => ({ title: oneLine(`${toolTitle(name)}${firstText(input)}`), rawInput: input }),
};

/** `mcp__server__tool` as `server: tool`. */
export function toolTitle(name: string): string {
  const [, server, tool] = /^mcp__(.+?)__(.+)$/.exec(name) ?? [];
  return server === undefined || tool === undefined ? name : `${server}: ${tool.replaceAll("_", " ")}`;
}

/** A short look at the input: its first text. */
function firstText(input: Input): string {
  const text = Object.values(input).find((value) => typeof value === "string" && value !== "");
  return typeof text === "string" ? ` (${oneLine(text, 60)})` : "";
}
