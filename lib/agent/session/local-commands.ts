/**
 * Slash commands that the agent answers itself: the engine does not see them.
 *
 * A prompt is such a command only if it is one text that begins with the command's name. Of an engine's
 * command with the same name only the agent's is offered. The list is `Session.#localCommands` in
 * session.ts; the commands that use the engine's controls are in session-controls.ts. The commands of
 * Codex, such as /status, are not local: lib/codex/engine/slash-commands.ts.
 */
import type { AvailableCommand, ContentBlock, PromptResponse } from "../../acp/index.ts";
import { version } from "../../version.ts";

export interface LocalAnswer {
  /** What the user reads, in Markdown. */
  readonly text: string;
  /** `_meta.bowline` of the response to the prompt. */
  readonly bowline?: Readonly<Record<string, unknown>> | undefined;
}

export interface LocalCommand {
  readonly name: string;
  readonly description: string;
  /** Shown by the client where an argument can be typed. */
  readonly hint?: string;
  /** Runs in the queue of prompts, with the engine ready and no turn of the engine running. */
  readonly isTurn?: boolean;
  /** False: the session cannot run the command now, and does not offer it. */
  readonly isOffered?: () => boolean;
  /** The signal aborts when the client cancels. */
  readonly run: (argument: string, signal: AbortSignal) => CommandAnswer | Promise<CommandAnswer>;
}

/** Text alone, or text with more for clients. */
type CommandAnswer = string | LocalAnswer;

interface CalledCommand {
  readonly command: LocalCommand;
  readonly argument: string;
}

type RunWork = (work: (signal: AbortSignal) => Promise<void>) => Promise<PromptResponse>;

export interface CommandCallbacks {
  readonly asTurn: RunWork;
  readonly besideTurns: RunWork;
  readonly say: (text: string) => void;
}

/** Finds the command that a prompt calls; undefined when the prompt is for the engine. */
export function findLocalCommand(
  commands: readonly LocalCommand[],
  [only, ...more]: readonly ContentBlock[],
): CalledCommand | undefined {
  if (only?.type !== "text" || more.length > 0) return undefined;
  const [, name, argument = ""] = /^\s*\/([\w-]+)(?:\s+([\s\S]*))?$/.exec(only.text) ?? [];
  const command = commands.find((one) => one.name === name && one.isOffered?.() !== false);
  return command && { command, argument: argument.trim() };
}

/** Answers the prompt that calls a command. */
export async function runLocalCommand(
  { command, argument }: CalledCommand,
  { asTurn, besideTurns, say }: CommandCallbacks,
): Promise<PromptResponse> {
  let bowline: LocalAnswer["bowline"];
  const response = await (command.isTurn === true ? asTurn : besideTurns)(async (signal) => {
    const said = await command.run(argument, signal);
    say(typeof said === "string" ? said : said.text);
    if (typeof said !== "string") bowline = said.bowline;
  });
  return bowline === undefined ? response : { ...response, _meta: { bowline } };
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
