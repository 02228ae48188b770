/**
 * The slash commands that the chat handles itself: parsing, completion and help.
 */
import type { AvailableCommand } from "../../acp/index.ts";
import type { SlashCompletion } from "./input/input-view.ts";
import { glyphs, type Theme } from "./render/theme.ts";
import { sanitizeLine } from "./render/sanitize.ts";
import { shownValue, type SessionOption } from "./session-options.ts";
import { widthOf, wrap } from "./render/text-width.ts";

const own = {
  help: "show the commands and keys",
  new: "start a new conversation",
  mode: "show or change the mode: what the agent may do without asking",
  model: "show or change the model",
  set: "show or change any option: /set <option> <value>",
  quit: "leave",
} as const;

export type OwnWord = keyof typeof own;

export interface OwnCommand {
  readonly word: OwnWord;
  readonly rest: readonly string[];
}

/** Parses a command of the chat itself; undefined when the line is for the agent. */
export function ownCommand(line: string): OwnCommand | undefined {
  const [, name = "", rest = ""] = /^\/(\S+)\s*([^]*)$/.exec(line.trim()) ?? [];
  const word = name === "exit" ? "quit" : name;
  return isOwn(word) ? { word, rest: rest.split(/\s+/).filter((part) => part !== "") } : undefined;
}

/** Our commands first; an agent's command of the same name could not be reached and is left out. */
export function slashWords(commands: readonly AvailableCommand[]): readonly SlashCompletion[] {
  const ours = Object.entries(own).map(([name, description]) => ({ name, description }));
  return [...ours, ...commands.filter(({ name }) => !isOwn(name) && !/\s/.test(name))];
}

const keys = [
  ["enter", "send; alt-enter, ctrl-j or \\ and enter begin a new line"],
  ["tab", "complete a command that begins with /"],
  ["shift-tab", "the next mode"],
  ["ctrl-o", "the next model"],
  ["up, down", "earlier prompts"],
  ["esc", "stop the agent; in a permission question: refuse"],
  ["ctrl-c", "stop the agent; a second time: leave"],
] as const;

export function helpLines(words: readonly SlashCompletion[], theme: Theme): readonly string[] {
  const rows = [
    ...words.map(({ name, description }) => [`/${name}`, description] as const),
    ["", ""] as const,
    ...keys,
  ];
  const { paint, columns } = theme;
  const longest = Math.min(26, Math.max(...rows.map(([term]) => widthOf(sanitizeLine(term)))));
  return rows.flatMap(([term, about]) => {
    const name = sanitizeLine(term);
    const gap = " ".repeat(Math.max(1, longest - widthOf(name) + 2));
    return wrap(`  ${paint.cyan(name)}${gap}${paint.dim(sanitizeLine(about))}`, columns(), " ".repeat(longest + 4));
  });
}

/** The choices of an option, with the current one marked. */
export function optionLines(one: SessionOption, { paint }: Theme): readonly string[] {
  return [
    `${paint.bold(sanitizeLine(one.name))} ${paint.dim(`is ${shownValue(one)}`)}`,
    ...one.choices.map(({ value, name }, i) => {
      const mark = value === one.value ? paint.green(glyphs.done) : " ";
      return `  ${mark} ${paint.cyan(String(i + 1))} ${sanitizeLine(name)} ${paint.dim(sanitizeLine(value))}`;
    }),
  ];
}

function isOwn(word: string): word is OwnWord {
  return Object.hasOwn(own, word);
}
