/**
 * Decides whether a write through the editor is allowed, denied, or put to the user.
 *
 * The CLI does not judge these calls, because they are not calls to its own tools.
 * So this module fails closed: a write is allowed only when its mode, its path and the
 * user's rules are all known to permit it. A write that a rule denies is denied. The
 * user is asked about every other write.
 */
import type { PermissionUpdate } from "../claude/index.ts";
import { type FileRule, ruleVerdict, type RuledPath } from "./file-rules.ts";
import { isBelow, isUnprotectedBelow } from "./protected-paths.ts";

/** A directory of the session, as given and with every link resolved. */
export interface Root {
  readonly path: string;
  readonly realPath: string;
}

export interface WriteRequest extends RuledPath {
  readonly mode: string;
  /** Undefined when the CLI did not list them. */
  readonly rules: readonly FileRule[] | undefined;
  /** The session's directories. */
  readonly roots: readonly Root[];
  /** What is at `realPath` now. */
  readonly target: "file" | "nothing" | "other";
  /** The path's last name is a symbolic link. */
  readonly isLink: boolean;
  /** The plan of this session, as the CLI names it, with every link resolved. */
  readonly planPath: string | undefined;
}

export type WritePermit =
  | { readonly kind: "allow" }
  | { readonly kind: "deny"; readonly why: string }
  /** `suggestions` are what the user may allow for the rest of the session; `why` is shown with the question. */
  | { readonly kind: "ask"; readonly suggestions: readonly PermissionUpdate[]; readonly why?: string };

const allow: WritePermit = { kind: "allow" };

export function permitWrite(request: WriteRequest): WritePermit {
  const { mode, realPath, rules, tool } = request;
  if (rules === undefined) return ask(request, "The permission rules could not be read");
  const verdict = ruleVerdict(rules, request);
  if (verdict === "deny") return { kind: "deny", why: `Permission to use ${tool} on this file has been denied.` };
  // The CLI's own tools refuse this too, in every mode.
  if (request.isLink) return { kind: "deny", why: `Refusing to write to ${request.path}: it is a symbolic link.` };
  if (verdict === "ask") return ask(request);
  if (verdict === "unsure") return ask(request, "A permission rule may deny this file");
  if (mode === "plan") return permitInPlanMode(request);
  if (leadsElsewhere(request)) return ask(request, `This path leads to ${realPath}`);
  if (!isHarmless(request)) return ask(request);
  const isPermitted = mode === "acceptEdits" || mode === "bypassPermissions" || verdict === "allow";
  return isPermitted ? allow : ask(request);
}

/** Only the plan is written unasked. A protected file of the project is denied, as by the CLI's own tools. */
function permitInPlanMode(request: WriteRequest): WritePermit {
  const { path, realPath, planPath, roots } = request;
  if (realPath === planPath) return allow;
  const isProtected = roots.some((root) => isBelow(path, root.path)) && !isHarmless(request);
  return isProtected ? { kind: "deny", why: "This file is protected and is not written in plan mode." } : ask(request);
}

/** A regular file, or a new one, below one of the session's directories, with unprotected names on the way. */
function isHarmless({ path, realPath, roots, target }: WriteRequest): boolean {
  if (target === "other") return false;
  return roots.some((root) => isUnprotectedBelow(path, root.path) && isUnprotectedBelow(realPath, root.realPath));
}

/** A link lies on the way, other than on the way to the session's directory itself. */
function leadsElsewhere({ path, realPath, roots }: WriteRequest): boolean {
  const isSamePlace = (root: Root): boolean =>
    isBelow(path, root.path) && realPath === root.realPath + path.slice(root.path.length);
  return path !== realPath && !roots.some(isSamePlace);
}

function ask({ mode, path, roots }: WriteRequest, why?: string): WritePermit {
  const reason = why === undefined ? {} : { why };
  if (mode === "plan") return { kind: "ask", suggestions: [], ...reason };
  const acceptEdits: PermissionUpdate = { type: "setMode", mode: "acceptEdits", destination: "session" };
  if (roots.some((root) => isBelow(path, root.path))) return { kind: "ask", suggestions: [acceptEdits], ...reason };
  return { kind: "ask", suggestions: [], why: why ?? "Path is outside allowed working directories" };
}
