/**
 * Looks up the tool family for a tool name, and marks invisible characters in calls that
 * have not run yet.
 *
 * Ignores case, because older CLIs and other programs spell names differently. A tool of
 * an MCP server has the server in its name, so it never gets the family of a CLI's tool.
 */
import { type ClientView, visibleContent } from "../../../display/index.ts";
import { markInvisible } from "../../../schema/index.ts";
import { background, bash, monitor } from "./bash.ts";
import { edit } from "./edit.ts";
import type { CallStart, ToolFamily, ToolInput } from "./tool-family.ts";
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
const planning = [todo, task, enterPlan, exitPlan];
const others = [subagent, question, findings, skill, schedule, message, worktree];
const families = [...files, ...commands, ...searches, ...planning, ...others];

const byName: ReadonlyMap<string, ToolFamily> = new Map(
  families.flatMap((family) => family.names.map((name) => [name, family] as const)),
);

export function familyOf(name: string): ToolFamily {
  return byName.get(name.toLowerCase()) ?? unknownTool;
}

/** The field `rawInput` of a call: the whole input for a client that asks for it, once it is known. */
export function rawInputOf(
  shown: CallStart,
  input: ToolInput,
  { wantsRaw }: ClientView,
): { readonly rawInput?: unknown } {
  const rawInput = wantsRaw === true && Object.keys(input).length > 0 ? input : shown.rawInput;
  return rawInput === undefined ? {} : { rawInput };
}

/**
 * Marks invisible characters in a call that has not run yet: the user may be asked to allow it, so title, commands
 * and diffs must not hide anything. This changes only what is shown: the CLI runs its own input, `rawInput` holds
 * that input unchanged, and the update after the call has run shows it unchanged. Returns the same object when there
 * is nothing to mark.
 */
export function visibleStart(start: CallStart, input: ToolInput): CallStart {
  const title = markInvisible(start.title);
  const content = start.content && visibleContent(start.content);
  if (title === start.title && content === start.content) return start;
  // The content no longer shows the exact text, so `rawInput` has to.
  return { ...start, title, ...(content !== start.content && { content, rawInput: input }) };
}

export {
  plainEnd,
  type EndedCall,
  type CallEnd,
  type ToolInput,
  type CallStart,
  type ToolFamily,
} from "./tool-family.ts";
