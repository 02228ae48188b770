/**
 * Looks up the tool family for a tool name.
 *
 * Ignores case, because older CLIs and other programs spell names differently. A tool of
 * an MCP server has the server in its name, so it never gets the family of a CLI's tool.
 */
import { background, bash, monitor } from "./bash.ts";
import { edit } from "./edit.ts";
import type { ToolFamily } from "./tool-family.ts";
import { enterPlan, exitPlan } from "./plan-mode.ts";
import { findings, message, move, remove, schedule, skill, toolSearch, unknownTool, worktree } from "./other.ts";
import { notebook } from "./notebook.ts";
import { question } from "./question.ts";
import { read } from "./read.ts";
import { glob, grep, list } from "./search.ts";
import { subagent } from "./subagent.ts";
import { task, todo } from "./todo.ts";
import { webFetch, webSearch } from "./web.ts";
import { write } from "./write.ts";

const files = [read, write, edit, notebook, remove, move];
const commands = [bash, background, monitor];
const searches = [glob, grep, list, webFetch, webSearch, toolSearch];
const thoughts = [subagent, todo, task, enterPlan, exitPlan, question, findings];
const families = [...files, ...commands, ...searches, ...thoughts, skill, schedule, message, worktree];

const byName: ReadonlyMap<string, ToolFamily> = new Map(
  families.flatMap((family) => family.names.map((name) => [name, family] as const)),
);

export function familyOf(name: string): ToolFamily {
  return byName.get(name.toLowerCase()) ?? unknownTool;
}

export {
  plainEnd,
  type EndedCall,
  type CallEnd,
  type ToolInput,
  type CallStart,
  type ToolFamily,
} from "./tool-family.ts";
