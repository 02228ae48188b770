/**
 * Decides whether a write through the editor is allowed, denied, or put to the user.
 *
 * The CLI applies no rules to these calls, because they are not calls to its own tools. Denied
 * is what the CLI's own tool would certainly refuse (`refusalOf`). Allowed are only the
 * session's own plan in plan mode, and a write in a mode that accepts edits while no rule
 * concerns files, by the main conversation, to an ordinary path below the session's directories.
 * The user is asked about the rest. Rules that allow are not read. In the mode `dontAsk`,
 * editor-tools.ts turns a question into a denial.
 */
import type { PermissionUpdate } from "../claude/index.ts";
import { titleLine } from "../display/index.ts";
import type { FileRules } from "./file-rules.ts";
import { isBelow, isBelowAndUnprotected } from "./protected-paths.ts";

/** A directory of the session, as given and with every link resolved, both as the session began. */
export interface Root {
  readonly path: string;
  readonly realPath: string;
}

export interface WriteRequest {
  readonly tool: string;
  readonly mode: string;
  /** The path that the model gave, made absolute. */
  readonly path: string;
  /** The same path with every link resolved, also links to nothing. */
  readonly realPath: string;
  /** What is at `realPath` now. A file with several names is `other`. */
  readonly target: "file" | "nothing" | "other";
  /** The path's last name is a symbolic link. */
  readonly isLink: boolean;
  /** A directory on the way that is a git repository other than the session's own. */
  readonly repository: string | undefined;
  /** Undefined when the CLI did not list them. */
  readonly rules: FileRules | undefined;
  /** The session's directories; the first is its working directory. */
  readonly roots: readonly Root[];
  /** The CLI's current directory, which a command may change. */
  readonly currentCwd: string;
  /** The directory that the CLI takes for its project; another one after EnterWorktree. Undefined when it is not known. */
  readonly projectCwd: string | undefined;
  readonly isFromSubagent: boolean;
  /** The plan of this session, as the CLI names it. */
  readonly planPath: string | undefined;
}

export type WritePermit =
  | { readonly kind: "allow" }
  | { readonly kind: "deny"; readonly why: string }
  /** `suggestions` are what the user may allow for the rest of the session; `why` is shown with the question. */
  | { readonly kind: "ask"; readonly suggestions: readonly PermissionUpdate[]; readonly why?: string };

const acceptEdits: PermissionUpdate = { type: "setMode", mode: "acceptEdits", destination: "session" };
/** How much of a rule is shown in a question. */
const maxRuleChars = 120;

export function permitWrite(request: WriteRequest): WritePermit {
  const { mode } = request;
  const refusal = refusalOf(request);
  if (refusal !== undefined) return { kind: "deny", why: refusal };
  const why = configuredDoubt(request) ?? (isPlan(request) ? undefined : pathDoubt(request));
  if (why !== undefined) return { kind: "ask", suggestions: [], why };
  if (isPlan(request)) return { kind: "allow" };
  if (mode === "acceptEdits" || mode === "bypassPermissions") return { kind: "allow" };
  return { kind: "ask", suggestions: mode === "plan" ? [] : [acceptEdits] };
}

/** Why the CLI's own tool would not write the file either, where that is certain. */
function refusalOf(request: WriteRequest): string | undefined {
  const { tool, mode, path, rules, isLink } = request;
  // A file that may not be read may not be written either.
  if (rules?.isDenied(tool) === true || rules?.isDenied("Read") === true) {
    return `Permission to use ${tool} has been denied by your rules.`;
  }
  if (isLink) return `Refusing to write to ${path}: it is a symbolic link.`;
  const worktree = worktreeOf(request);
  if (worktree !== undefined) {
    return `This conversation is isolated in the worktree ${worktree}. Edit the copy of the file there instead.`;
  }
  if (mode === "plan" && !isPlan(request) && !mayBecomePlan(request) && !isOrdinary(request)) {
    return "This file is protected or outside of the project, and is not written in plan mode.";
  }
  return undefined;
}

/** The worktree that the writer works in, when the path is in the checkout that it has left. */
function worktreeOf(request: WriteRequest): string | undefined {
  const { path, realPath, roots, currentCwd, projectCwd, isFromSubagent } = request;
  const [root] = roots;
  if (root === undefined || !(isBelow(path, root.path) || isBelow(realPath, root.realPath))) return undefined;
  // A subagent with a worktree of its own has it as its current directory.
  const isOfSubagent = isFromSubagent && /[\\/]\.claude[\\/]worktrees[\\/]/.test(currentCwd);
  const worktree = isOfSubagent ? currentCwd : projectCwd;
  return worktree === undefined || isSame(worktree, root) || isBelow(path, worktree) ? undefined : worktree;
}

/** Why the user's configuration could want a question, or more than that. */
function configuredDoubt({ rules, roots, projectCwd, isFromSubagent }: WriteRequest): string | undefined {
  const [root] = roots;
  if (rules === undefined) return "The permission rules could not be read";
  if (rules.restricting !== undefined)
    return `Your settings have the rule ${titleLine(rules.restricting, maxRuleChars)}`;
  // The definition of a subagent may have tools, a mode and hooks that the CLI does not list.
  if (isFromSubagent) return "A subagent wants to write this file";
  if (root === undefined || projectCwd === undefined || !isSame(projectCwd, root)) {
    return "The Claude CLI works in another directory now";
  }
  return undefined;
}

/** Why the path is not an ordinary one of the session's directories. */
function pathDoubt(request: WriteRequest): string | undefined {
  const { path, realPath, roots, currentCwd } = request;
  const [root] = roots;
  const at = roots.find((one) => isBelow(path, one.path));
  if (at === undefined) {
    if (path === realPath) return "Path is outside allowed working directories";
    const isInside = roots.some((one) => isBelow(realPath, one.realPath));
    return `This path leads to ${titleLine(realPath)}${isInside ? "" : ", outside allowed working directories"}`;
  }
  // Also when the directory of the session has been replaced by a link since the session began.
  if (realPath !== at.realPath + path.slice(at.path.length)) return `This path leads to ${titleLine(realPath)}`;
  if (!isOrdinary(request)) return "This file is protected";
  // Which of its files decide what git runs is known of the session's own repository alone.
  if (request.repository !== undefined) return `This file is in the git repository ${titleLine(request.repository)}`;
  const isHere = root !== undefined && isSame(currentCwd, root);
  return isHere || isBelow(path, currentCwd) || isBelow(realPath, currentCwd)
    ? undefined
    : "The Claude CLI works in another directory now";
}

/** The plan file itself, not something that leads to it or that it leads to. */
function isPlan({ mode, path, planPath, target }: WriteRequest): boolean {
  return mode === "plan" && path === planPath && target !== "other";
}

/** The CLI names its plan only when the plan has been written: the user is asked about the first version. */
function mayBecomePlan({ path, planPath, isLink, target }: WriteRequest): boolean {
  return planPath === undefined && !isLink && target === "nothing" && /[\\/]plans[\\/][^\\/]+\.md$/.test(path);
}

/** A regular file, or a new one, below one of the session's directories, with unprotected names on the way. */
function isOrdinary({ path, realPath, roots, target }: WriteRequest): boolean {
  if (target === "other") return false;
  return roots.some((root) => isBelowAndUnprotected(path, root.path) && isBelowAndUnprotected(realPath, root.realPath));
}

function isSame(directory: string, root: Root): boolean {
  return directory === root.path || directory === root.realPath;
}
