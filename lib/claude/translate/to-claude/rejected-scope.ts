/**
 * What "Never allow … in this session" concerns, for a tool call of Claude: a command, a
 * file, the pages of a host, or a tool; and the rule that makes the CLI deny it in every mode.
 */
import type { CanUseTool } from "../../index.ts";
import type { RejectedScope } from "../../../engine/index.ts";
import { type ClientView, shownPath } from "../../../display/index.ts";
import { textIn } from "../../../schema/index.ts";
import { familyOf } from "../tools/index.ts";
import { toolTitle } from "../tools/other.ts";

export interface ClaudeRejectedScope extends RejectedScope {
  /** Denies exactly this in the CLI; undefined where no rule can say it. */
  readonly rule: string | undefined;
}

/** Undefined where the user is asked for something else than a permission. */
export function rejectedScope(request: CanUseTool, view: ClientView): ClaudeRejectedScope | undefined {
  const { tool_name: name, input } = request;
  if (name === "ExitPlanMode" || request.requires_user_interaction === true) return undefined;
  const { kind } = familyOf(name);
  const command = textIn(input, "command");
  if (kind === "execute" && command !== undefined) {
    return { keys: [`run ${command}`], what: "this command", rule: exactRule(name, command) };
  }
  const path = textIn(input, "file_path") ?? textIn(input, "notebook_path");
  if (kind === "edit" && path !== undefined) {
    return { keys: [`change ${path}`], what: `changes to ${shownPath(path, view)}`, rule: fileRule("Edit", path) };
  }
  if (kind === "read" && path !== undefined) {
    return { keys: [`read ${path}`], what: `reading ${shownPath(path, view)}`, rule: fileRule("Read", path) };
  }
  const host = hostOf(textIn(input, "url"));
  if (kind === "fetch" && host !== undefined) {
    return { keys: [`pages ${host}`], what: `pages of ${host}`, rule: exactRule(name, `domain:${host}`) };
  }
  return { keys: [`tool ${name}`], what: toolTitle(name), rule: /^[\w-]+$/.test(name) ? name : undefined };
}

/** A rule about one command or host. A star would be a pattern, and the CLI has no way to write one that is none. */
function exactRule(tool: string, content: string): string | undefined {
  if (content.trim() !== content || content === "" || /[*\r]/.test(content)) return undefined;
  return `${tool}(${content.replaceAll(/[\\()]/g, "\\$&")})`;
}

/** A rule about one file, by its absolute path; undefined where the CLI would read a pattern. */
function fileRule(tool: "Edit" | "Read", path: string): string | undefined {
  if (!path.startsWith("/") || /[?\\\n\r]|\s$/.test(path)) return undefined;
  return `${tool}(/${path.replaceAll(/[*[\]()]/g, "\\$&")})`;
}

function hostOf(url: string | undefined): string | undefined {
  return url !== undefined && URL.canParse(url) ? new URL(url).hostname : undefined;
}
