/**
 * Slash commands that the agent answers itself: the engine does not see them.
 *
 * A prompt is such a command only if it is one text that begins with the command's name. Of an engine's
 * command with the same name only the agent's is offered.
 */
import type { AvailableCommand, ContentBlock } from "../../acp/index.ts";
import { version } from "../../version.ts";

export interface LocalCommand {
  readonly name: string;
  readonly description: string;
  /** Shown by the client where an argument can be typed. */
  readonly hint?: string;
  /** Runs in the queue of prompts, with the engine ready and no turn of the engine running. */
  readonly isTurn?: boolean;
  /** False: the session cannot run the command now, and does not offer it. */
  readonly isOffered?: () => boolean;
  /** Returns the text that the user reads, in Markdown. The signal aborts when a command with `isTurn` is cancelled. */
  readonly run: (argument: string, signal: AbortSignal) => string | Promise<string>;
}

/** Finds the command that a prompt calls; undefined when the prompt is for the engine. */
export function findLocalCommand(
  commands: readonly LocalCommand[],
  [only, ...more]: readonly ContentBlock[],
): { readonly command: LocalCommand; readonly argument: string } | undefined {
  if (only?.type !== "text" || more.length > 0) return undefined;
  const [, name, argument = ""] = /^\s*\/([\w-]+)(?:\s+([\s\S]*))?$/.exec(only.text) ?? [];
  const command = commands.find((one) => one.name === name && one.isOffered?.() !== false);
  return command && { command, argument: argument.trim() };
}

/** The commands that the client offers: the engine's, then the agent's own. */
export function offeredCommands(
  engine: readonly AvailableCommand[],
  own: readonly LocalCommand[],
): readonly AvailableCommand[] {
  const offered = own.filter(({ isOffered }) => isOffered?.() !== false);
  const names = new Set(offered.map(({ name }) => name));
  return [
    ...engine.filter(({ name }) => !names.has(name)),
    ...offered.map(({ name, description, hint }) => ({
      name,
      description,
      ...(hint !== undefined && { input: { hint } }),
    })),
  ];
}

export function versionCommand(engineName: string): LocalCommand {
  return {
    name: "version",
    description: "Show the version of Bowline",
    run: () => `Bowline ${version}, with ${engineName}. Node ${process.versions.node}.`,
  };
}

/** `describe`: the findings of `bowline doctor` as Markdown. */
export function setupCommand(describe: () => Promise<string>): LocalCommand {
  return { name: "setup", description: "Check this machine, as bowline doctor does", run: describe };
}
