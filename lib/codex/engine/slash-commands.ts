/**
 * The slash commands of a Codex conversation.
 *
 * Codex has none in its protocol: a text such as `/compact` would go to the model. A prompt
 * that is one text block and begins with a name of this list is carried out here.
 */
import type { AvailableCommand, ContentBlock } from "../../acp/index.ts";

const commands = {
  compact: { description: "Summarize the conversation to free context" },
  review: { description: "Review changes", hint: "instructions, a commit id, or: branch <name>" },
  plan: { description: "Switch to plan mode", hint: "what to plan" },
  clear: { description: "Start a new conversation in this session" },
  status: { description: "Show the model, the permissions and the account" },
  skills: { description: "List the skills; use one by its name, for example $name" },
  goal: { description: "Work until a goal is reached", hint: "the goal, or: clear" },
  stop: { description: "Stop the commands that run in the background" },
} as const satisfies Readonly<Record<string, { readonly description: string; readonly hint?: string }>>;

export type SlashCommandName = keyof typeof commands;

export interface SlashInvocation {
  readonly name: SlashCommandName;
  /** What follows the name, without spaces around it. */
  readonly argument: string;
}

export const availableCommands: readonly AvailableCommand[] = Object.entries(commands).map(([name, command]) => ({
  name,
  description: command.description,
  ...("hint" in command && { input: { hint: command.hint } }),
}));

/** The command that a prompt is; undefined when the prompt is for the model. */
export function slashCommandOf(content: readonly ContentBlock[]): SlashInvocation | undefined {
  const [block, ...others] = content;
  if (block?.type !== "text" || others.length > 0) return undefined;
  const [, name, argument] = /^\s*\/(\w+)(?:\s+([\s\S]*))?$/.exec(block.text) ?? [];
  if (name === undefined || !isCommand(name)) return undefined;
  return { name, argument: (argument ?? "").trim() };
}

/** The target of `review/start` for the argument of `/review`. */
export function reviewTarget(argument: string): Readonly<Record<string, unknown>> {
  if (argument === "") return { type: "uncommittedChanges" };
  if (/^[\da-f]{7,40}$/i.test(argument)) return { type: "commit", sha: argument };
  const branch = /^branch\s+(\S+)$/.exec(argument)?.[1];
  return branch === undefined ? { type: "custom", instructions: argument } : { type: "baseBranch", branch };
}

function isCommand(name: string): name is SlashCommandName {
  return Object.hasOwn(commands, name);
}
