/**
 * Commands: the CLI's slash commands as the editor offers them.
 */
import type { AvailableCommand } from "../acp/index.ts";
import type { SlashCommand } from "../claude/index.ts";

/** Commands that only make sense in the CLI's own terminal, or that the editor has another way for. */
const left: ReadonlySet<string> = new Set([
  "login",
  "logout",
  "exit",
  "quit",
  "keybindings-help",
  "release-notes",
  "vim",
  "theme",
]);
const maxDescriptionChars = 300;

export function editorCommands(
  commands: readonly SlashCommand[],
  terminalOnly: ReadonlySet<string>,
): readonly AvailableCommand[] {
  return commands.flatMap(({ name, description, argumentHint }) => {
    if (name.startsWith("__") || left.has(name) || terminalOnly.has(name)) return [];
    const hint = argumentHint === undefined || argumentHint === "" ? undefined : argumentHint;
    const shown = (description ?? name).slice(0, maxDescriptionChars);
    return [{ name, description: shown, ...(hint !== undefined && { input: { hint } }) }];
  });
}
