/**
 * The permission updates that "Always allow … in this session" makes in the CLI, for one
 * permission request.
 *
 * The CLI suggests updates with its request. Bowline applies them to the session: any other
 * destination would write a settings file of the user. For a Bash command that writes files the
 * CLI suggests to accept all edits as well. There Bowline offers rules for the commands alone.
 * The CLI obeys such rules only for plain commands in the project, so "always" is offered only
 * for those (`spec/live/turns/permissions.live.ts` runs each kind twice).
 */
import type { CanUseTool, PermissionUpdate } from "../../index.ts";
import { type ClientView, shownPath } from "../../../display/index.ts";
import { textIn } from "../../../schema/index.ts";

/** The label of the answer names each command; more than these do not fit. */
const maxCommands = 3;
const maxLineChars = 110;

/** Empty when "always" is not offered. */
export function lastingChanges(request: CanUseTool, view: ClientView): readonly PermissionUpdate[] {
  if (request.suppress_always_allow_rule === true || request.requires_user_interaction === true) return [];
  const suggestions = request.permission_suggestions ?? [];
  const isOnlyRules = suggestions.every(({ type }) => type === "addRules");
  if (request.tool_name === "Bash" && !isOnlyRules) return commandRules(request, suggestions, view);
  // Other tools that run a command, such as Monitor: rules for Bash do not concern them.
  if (!isOnlyRules && textIn(request.input, "command") !== undefined) return [];
  if (suggestions.some((change) => isPatternByAccident(change, textIn(request.input, "command")))) return [];
  return suggestions.map((suggestion) => ({ ...suggestion, destination: "session" }));
}

/**
 * Whether a suggested rule has a `*` that is part of the command: the CLI would read it as a
 * pattern and run other commands without asking. A rule for a prefix, such as `npm run *`, is no part of the command.
 */
function isPatternByAccident(change: PermissionUpdate, command: string | undefined): boolean {
  if (change.type !== "addRules") return false;
  // No host has a `*` in its name.
  if (change.rules.some(({ ruleContent }) => /^domain:.*\*/.test(ruleContent ?? ""))) return true;
  return command?.includes("*") === true && change.rules.some(({ ruleContent }) => ruleContent?.includes("*") === true);
}

/** One rule for each command of a line that writes files. */
function commandRules(
  request: CanUseTool,
  suggestions: readonly PermissionUpdate[],
  view: ClientView,
): readonly PermissionUpdate[] {
  const directories = suggestions.flatMap((change) => (change.type === "addDirectories" ? change.directories : []));
  const isInProject = directories.every((directory) => shownPath(directory, view) !== directory);
  // The CLI gives a reason if it asks about every such call.
  if (request.decision_reason !== undefined || !isInProject) return [];
  const line = textIn(request.input, "command") ?? "";
  const commands = plainCommands(line);
  const isTooLong = commands.length > maxCommands || (commands.length > 1 && line.length > maxLineChars);
  if (commands.length === 0 || isTooLong) return [];
  const rules = commands.map((ruleContent) => ({ toolName: "Bash", ruleContent }));
  return [{ type: "addRules", rules, behavior: "allow", destination: "session" }];
}

/** The commands of a line, each once; empty if the line has anything but words and `&&`, `||`, `;` and `|` between them. */
function plainCommands(line: string): readonly string[] {
  const commands = line.split(/&&|\|\||[;|]/).map((command) => command.trim());
  return commands.every((command) => /^[\w ./=:@%+,-]+$/.test(command)) ? [...new Set(commands)] : [];
}
