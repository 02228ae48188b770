/**
 * Converts the CLI's list of slash commands to ACP's available commands.
 *
 * Leaves out commands that need the CLI's own terminal, and shortens descriptions. Has no
 * commands of its own: those that the agent answers are in lib/agent/session/local-commands.ts.
 */
import type { AvailableCommand } from "../../acp/index.ts";
import type { SlashCommand } from "../index.ts";
import { oneLine } from "../../display/index.ts";

/** Commands that need the CLI's own terminal, or for which ACP has another way. */
const hiddenCommands: ReadonlySet<string> = new Set([
  "login",
  // The CLI names these two as terminal-only in its first turn: a list with them would be sent again without them.
  "doctor",
  "reload-plugins",
  "logout",
  "exit",
  "quit",
  "keybindings-help",
  "release-notes",
  "vim",
  "theme",
  "color",
  "focus",
  "heapdump",
  "workflow-launch-exec",
]);
const maxDescriptionChars = 160;

export function offeredCliCommands(
  commands: readonly SlashCommand[],
  terminalOnly: ReadonlySet<string>,
): readonly AvailableCommand[] {
  return commands.flatMap(({ name, description, argumentHint }) => {
    if (name.startsWith("__") || hiddenCommands.has(name) || terminalOnly.has(name)) return [];
    if (description?.startsWith("(removed)")) return [];
    const hint = argumentHint === undefined || argumentHint === "" ? undefined : argumentHint;
    return [
      {
        name,
        description: oneLine(firstSentence(description ?? name), maxDescriptionChars),
        ...(hint !== undefined && { input: { hint } }),
      },
    ];
  });
}

/** The later sentences of many descriptions tell the model when to use the command. */
function firstSentence(description: string): string {
  return /^[\s\S]*?(?<!\be\.g|\bi\.e|\betc|\bvs|[.\d])\.(?=\s+\p{Lu}|\s*$)/u.exec(description)?.[0] ?? description;
}
