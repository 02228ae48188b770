/**
 * What "Never allow … in this session" concerns, for a tool call of Claude: a command, a
 * file, the pages of a host, or a tool.
 */
import type { CanUseTool } from "../../index.ts";
import type { RejectedScope } from "../../../engine/index.ts";
import { type ClientView, shownPath } from "../../../display/index.ts";
import { textIn } from "../../../schema/index.ts";
import { familyOf } from "../tools/index.ts";
import { toolTitle } from "../tools/other.ts";

/** Undefined where the user is asked for something else than a permission. */
export function rejectedScope(request: CanUseTool, view: ClientView): RejectedScope | undefined {
  const { tool_name: name, input } = request;
  if (name === "ExitPlanMode" || request.requires_user_interaction === true) return undefined;
  const { kind } = familyOf(name);
  const command = textIn(input, "command");
  if (kind === "execute" && command !== undefined) return { keys: [`run ${command}`], what: "this command" };
  const path = textIn(input, "file_path") ?? textIn(input, "notebook_path");
  if (kind === "edit" && path !== undefined) {
    return { keys: [`change ${path}`], what: `changes to ${shownPath(path, view)}` };
  }
  if (kind === "read" && path !== undefined) {
    return { keys: [`read ${path}`], what: `reading ${shownPath(path, view)}` };
  }
  const host = hostOf(textIn(input, "url"));
  if (kind === "fetch" && host !== undefined) return { keys: [`pages ${host}`], what: `pages of ${host}` };
  return { keys: [`tool ${name}`], what: toolTitle(name) };
}

function hostOf(url: string | undefined): string | undefined {
  return url !== undefined && URL.canParse(url) ? new URL(url).hostname : undefined;
}
