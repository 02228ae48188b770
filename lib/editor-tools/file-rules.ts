/**
 * Tells whether any of the user's permission rules concerns files.
 *
 * What a pattern such as `Edit(src/**)` covers is known to the CLI alone, and the CLI
 * applies such a rule only to its own tools. So patterns are not read here: every
 * denying or asking rule counts, whatever its pattern is, unless it plainly names a tool
 * that has nothing to do with files.
 */
import { ownServer } from "../claude/index.ts";

/** A rule as the CLI lists it. */
export interface ListedRule {
  readonly behavior: string;
  readonly rule: string;
  readonly source?: string | undefined;
}

export interface FileRules {
  /** Whether a tool is denied as a whole, by a rule without a pattern: `Write`, `Wri*`. */
  readonly isDenied: (tool: string) => boolean;
  /** The first denying or asking rule that concerns files, or could; undefined when there is none. */
  readonly restricting: string | undefined;
}

/** Tools of the CLI that neither read nor write files by a path. A rule for any other name may concern files. */
const otherTools = new Set([
  "Agent",
  "AskUserQuestion",
  "Bash",
  "BashOutput",
  "CronCreate",
  "CronDelete",
  "CronList",
  "EnterPlanMode",
  "EnterWorktree",
  "ExitPlanMode",
  "ExitWorktree",
  "KillBash",
  "KillShell",
  "ListMcpResources",
  "Monitor",
  "PowerShell",
  "ReadMcpResource",
  "SendMessage",
  "Skill",
  "SlashCommand",
  "Task",
  "TaskCreate",
  "TaskGet",
  "TaskList",
  "TaskOutput",
  "TaskStop",
  "TaskUpdate",
  "TodoWrite",
  "ToolSearch",
  "WebFetch",
  "WebSearch",
]);

/** `ownRules`: the tools that this program has denied on the CLI's command line. */
export function readFileRules(listed: readonly ListedRule[], ownRules: readonly string[]): FileRules {
  const isOwn = ({ source, rule }: ListedRule): boolean => source === "cliArg" && ownRules.includes(rule);
  const restricting = listed.filter((one) => one.behavior !== "allow" && !isOwn(one) && !isForOtherTool(one.rule));
  return {
    isDenied: (tool) => restricting.some(({ behavior, rule }) => behavior === "deny" && isNameOf(rule, tool)),
    restricting: restricting[0]?.rule,
  };
}

function isNameOf(rule: string, tool: string): boolean {
  return /^[\w*]+$/.test(rule) && new RegExp(`^${rule.replaceAll(/\*+/g, ".*")}$`).test(tool);
}

/** A name of the list above, or of a tool of another MCP server, with or without a pattern, and no wildcard in the name. */
function isForOtherTool(rule: string): boolean {
  const [, name] = /^(\w[\w-]*)(?:\(.*\))?$/s.exec(rule) ?? [];
  if (name === undefined) return false;
  const [, server] = /^mcp__(.+?)(?:__.*)?$/.exec(name) ?? [];
  return server === undefined ? otherTools.has(name) : server !== ownServer;
}
