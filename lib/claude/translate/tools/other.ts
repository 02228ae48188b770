/**
 * Tool families of skills, schedules, findings, messages, worktrees, deletes and moves, the
 * tools of MCP servers, and unknown tools.
 */
import { toolContent } from "../../../acp/index.ts";
import { isRecord, textIn } from "../../../schema/index.ts";
import { shownPath, titleLine, type ClientView } from "../../../display/index.ts";
import { type ToolInput, numberIn, placeOf, plainEnd, type ToolFamily } from "./tool-family.ts";

export const skill: ToolFamily = {
  names: ["skill"],
  kind: "other",
  titleFields: ["skill", "command"],
  open: (input) => ({
    title: titleLine(`Use the skill ${textIn(input, "skill", "command", "name") ?? ""}`.trim()),
    rawInput: input,
  }),
};

export const toolSearch: ToolFamily = {
  names: ["toolsearch"],
  kind: "search",
  titleFields: ["query"],
  open: (input) => {
    const query = textIn(input, "query") ?? "";
    const [, named] = /^select:(.+)$/.exec(query) ?? [];
    const title = named === undefined ? `Look for tools: ${query}` : `Load the tools ${named.split(",").join(", ")}`;
    return { title: titleLine(title), rawInput: input };
  },
};

/** Scheduled jobs. */
export const schedule: ToolFamily = {
  names: ["croncreate", "crondelete", "cronlist", "schedulewakeup"],
  kind: "other",
  titleFields: [],
  open: (input, _view, name) => ({ title: titleLine(scheduleTitle(input, name.toLowerCase())), rawInput: input }),
};

function scheduleTitle(input: ToolInput, name: string): string {
  const what = textIn(input, "prompt", "reason") ?? "a job";
  switch (name) {
    case "croncreate":
      return `Schedule "${titleLine(what, 80)}" (${textIn(input, "cron") ?? "once"})`;
    case "crondelete":
      return `Cancel the scheduled job ${textIn(input, "id") ?? ""}`.trim();
    case "cronlist":
      return "List scheduled jobs";
    default:
      return `Wake up in ${numberIn(input, "delaySeconds") ?? "some"} seconds: ${what}`;
  }
}

export const findings: ToolFamily = {
  names: ["reportfindings"],
  kind: "think",
  titleFields: [],
  open: (input, view) => {
    const found = Array.isArray(input["findings"]) ? input["findings"].filter(isRecord) : [];
    return {
      title: found.length === 1 ? "Report 1 finding" : `Report ${found.length} findings`,
      locations: found.flatMap((one) => placeOf(textIn(one, "file"), view, numberIn(one, "line"))),
      content: found.map((one) => toolContent.block(finding(one, view))),
    };
  },
  // The result only counts the findings, which are already shown.
  end: (call, outcome) => (outcome.isError ? plainEnd(call, outcome) : {}),
};

function finding(one: ToolInput, view: ClientView): string {
  const file = textIn(one, "file");
  const line = numberIn(one, "line");
  const place = file === undefined ? "" : `**${shownPath(file, view)}${line === undefined ? "" : `:${line}`}** `;
  return `${place}${textIn(one, "summary") ?? ""}`;
}

export const message: ToolFamily = {
  names: ["sendmessage", "listagents"],
  kind: "other",
  titleFields: [],
  open: (input, _view, name) => {
    if (name.toLowerCase() === "listagents") return { title: "List agents" };
    return { title: titleLine(`Message to ${textIn(input, "to", "recipient") ?? "an agent"}`), rawInput: input };
  },
};

export const worktree: ToolFamily = {
  names: ["enterworktree", "exitworktree"],
  kind: "other",
  titleFields: [],
  open: (input, _view, name) => {
    const isEntering = name.toLowerCase() === "enterworktree";
    const title = isEntering ? `Work in the worktree ${textIn(input, "name", "path") ?? ""}` : "Leave the worktree";
    return { title: titleLine(title), rawInput: input };
  },
  end: (call, outcome) => {
    const path = textIn(outcome.structured ?? {}, "worktreePath");
    if (outcome.isError || path === undefined) return plainEnd(call, outcome);
    // The result's own text instructs the model what to do next.
    const branch = textIn(outcome.structured ?? {}, "worktreeBranch");
    return { content: [toolContent.block(branch === undefined ? path : `${path} (branch ${branch})`)] };
  },
};

/** `delete` and `move` are tool kinds of ACP. */
export const remove: ToolFamily = {
  names: ["delete", "remove", "delete_file", "rm"],
  kind: "delete",
  titleFields: ["path", "file_path"],
  open: (input) => ({
    title: titleLine(`Delete ${textIn(input, "path", "file_path", "filePath") ?? "a file"}`),
    rawInput: input,
  }),
};

export const move: ToolFamily = {
  names: ["move", "rename", "move_file", "mv"],
  kind: "move",
  titleFields: ["path", "source"],
  open: (input) => ({
    title: titleLine(`Move ${textIn(input, "path", "source", "from") ?? "a file"}`),
    rawInput: input,
  }),
};

/** A tool without a family. Its title is its own name, with its server for an MCP tool. */
export const unknownTool: ToolFamily = {
  names: [],
  kind: "other",
  titleFields: [],
  open: (input, _view, name) => ({ title: titleLine(`${toolTitle(name)}${firstText(input)}`), rawInput: input }),
};

/** `mcp__server__tool` as `server: tool`. */
export function toolTitle(name: string): string {
  const [, server, tool] = /^mcp__(.+?)__(.+)$/.exec(name) ?? [];
  return server === undefined || tool === undefined ? name : `${server}: ${tool.replaceAll("_", " ")}`;
}

/** The first text of the input, shortened. */
function firstText(input: ToolInput): string {
  const text = Object.values(input).find((value) => typeof value === "string" && value !== "");
  return typeof text === "string" ? ` (${titleLine(text, 60)})` : "";
}
