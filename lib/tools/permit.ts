/**
 * Permit: whether a call to a tool of ours may run, as the CLI would decide it for
 * its own tool of that name.
 *
 * The mode, the user's rules and the place decide. Says "ask" whenever it is not
 * sure; never allows what the CLI's own tool would have asked about.
 */
import type { PermissionUpdate } from "../claude/index.ts";
import type { Input } from "./mcp.ts";
import { commandVerdict, fileVerdict, type Rule } from "./rules.ts";
import { isFileWork, isReadOnly, plainCommands } from "./shell.ts";

export interface Asked {
  readonly tool: string;
  readonly input: Input;
  readonly mode: string;
  readonly rules: readonly Rule[];
  readonly cwd: string;
  /** The file's absolute path, and the same without links. */
  readonly path: string | undefined;
  readonly realPath: string | undefined;
  readonly isInside: (path: string) => boolean;
  /** A file the CLI keeps for itself: plans, results of tools. */
  readonly isPrivate: (path: string) => boolean;
}

export type Permit =
  | { readonly kind: "allow" }
  | { readonly kind: "deny"; readonly why: string }
  /** `suggestions` are what a person may allow for good; `why` is told with the question. */
  | { readonly kind: "ask"; readonly suggestions: readonly PermissionUpdate[]; readonly why?: string };

const allow: Permit = { kind: "allow" };

export function permitOf(asked: Asked): Permit {
  switch (asked.tool) {
    case "Bash":
      return commandPermit(asked);
    case "BashOutput":
    case "KillShell":
      return allow;
    default:
      return asked.path === undefined ? allow : filePermit(asked, asked.path, asked.realPath ?? asked.path);
  }
}

/** Files that decide what programs do; the CLI asks before it changes them, in any mode. */
const guarded =
  /(?:^|[\\/])(?:\.git|\.claude|\.vscode|\.idea|\.husky|\.zed)[\\/]|(?:^|[\\/])\.(?:gitconfig|gitmodules|bashrc|bash_profile|zshrc|zprofile|profile|ripgreprc|mcp\.json|claude\.json)$/;

function filePermit(asked: Asked, path: string, realPath: string): Permit {
  const { tool, mode, rules, cwd, isInside, isPrivate } = asked;
  const verdicts = [fileVerdict(rules, tool, path, cwd), fileVerdict(rules, tool, realPath, cwd)];
  if (verdicts.includes("deny"))
    return { kind: "deny", why: `Permission to use ${tool} on this file has been denied.` };
  const isRead = tool === "Read";
  const isWithin = isInside(path) && isInside(realPath);
  if (isPrivate(realPath) && (isRead || (mode === "plan" && /[\\/]plans[\\/]/.test(realPath)))) return allow;
  if (mode === "bypassPermissions") return allow;
  const isAllowed = verdicts.every((one) => one === "allow");
  const isAsked = verdicts.includes("ask");
  if (isRead) {
    if (!isAsked && (isWithin || isAllowed)) return allow;
    return isWithin ? { kind: "ask", suggestions: [] } : { kind: "ask", suggestions: readRule(path), why: outside };
  }
  const isGuarded = guarded.test(path) || guarded.test(realPath);
  if (!isAsked && !isGuarded && mode !== "plan" && (isAllowed || (mode === "acceptEdits" && isWithin))) return allow;
  if (mode === "plan") return { kind: "ask", suggestions: [] };
  const acceptEdits: PermissionUpdate = { type: "setMode", mode: "acceptEdits", destination: "session" };
  if (isWithin) return { kind: "ask", suggestions: [acceptEdits] };
  const directories: PermissionUpdate = {
    type: "addDirectories",
    directories: [directoryOf(path)],
    destination: "session",
  };
  return { kind: "ask", suggestions: [acceptEdits, directories], why: outside };
}

const outside = "Path is outside allowed working directories";

function readRule(path: string): readonly PermissionUpdate[] {
  const rules = [{ toolName: "Read", ruleContent: `/${directoryOf(path)}/**` }];
  return [{ type: "addRules", rules, behavior: "allow", destination: "session" }];
}

function commandPermit({ input, mode, rules, isInside }: Asked): Permit {
  const command = typeof input["command"] === "string" ? input["command"] : "";
  const verdict = commandVerdict(rules, command);
  if (verdict === "deny") return { kind: "deny", why: "Permission to use Bash with this command has been denied." };
  if (mode === "bypassPermissions") return allow;
  if (verdict !== "ask") {
    if (isReadOnly(command, isInside)) return allow;
    const isAllowed = verdict === "allow" || isAllowedInParts(command, rules, isInside);
    if (isAllowed && mode !== "plan") return allow;
    if (mode === "acceptEdits" && isFileWork(command, isInside)) return allow;
  }
  const parts = plainCommands(command);
  if (mode === "plan" || verdict === "ask" || parts === undefined) return { kind: "ask", suggestions: [] };
  const news = parts.filter((part) => !isReadOnly(part, isInside));
  const ruled = news.map((ruleContent) => ({ toolName: "Bash", ruleContent }));
  return {
    kind: "ask",
    suggestions:
      ruled.length === 0 ? [] : [{ type: "addRules", rules: ruled, behavior: "allow", destination: "session" }],
  };
}

/** Each part is allowed by a rule, or only looks. */
function isAllowedInParts(command: string, rules: readonly Rule[], isInside: Asked["isInside"]): boolean {
  const parts = plainCommands(command) ?? [];
  const isFree = (part: string): boolean => isReadOnly(part, isInside) || commandVerdict(rules, part) === "allow";
  return parts.length > 0 && parts.every(isFree);
}

function directoryOf(path: string): string {
  return path.replace(/[\\/][^\\/]*$/, "") || "/";
}
