/**
 * The slash commands that the chat handles itself: parsing, completion and help.
 */
import { closestMatch } from "../closest-match.ts";
import { largest } from "../../schema/index.ts";
import type { AvailableCommand } from "../../acp/index.ts";
import type { SlashCompletion } from "./input/input-view.ts";
import { glyphs, type Theme } from "./render/theme.ts";
import { sanitizeLine } from "./render/sanitize.ts";
import { isRisky, shownValue, type SessionOption } from "./session-options.ts";
import { widthOf, wrap } from "./render/text-width.ts";

const own = {
  help: "show the commands and keys",
  new: "start a new conversation",
  resume: "continue a saved conversation; a list opens",
  output: "show the whole of the last output that was folded (ctrl-o)",
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

/** A hint for a line that looks like a command and is none; undefined for every other line. */
export function unknownCommand(line: string, known: readonly SlashCompletion[]): string | undefined {
  const [, name] = /^\/([A-Za-z][\w:-]*)(?:\s|$)/.exec(line) ?? [];
  if (name === undefined || known.some((one) => one.name === name)) return undefined;
  const meant = closestMatch(
    name,
    known.map((one) => one.name),
  );
  return `there is no command /${name}${meant === undefined ? "" : `; did you mean /${meant}?`} A space before the line sends it as text.`;
}

/** Our commands first; an agent's command of the same name could not be reached and is left out. */
export function slashWords(commands: readonly AvailableCommand[]): readonly SlashCompletion[] {
  const ours = Object.entries(own).map(([name, description]) => ({ name, description }));
  return [...ours, ...commands.filter(({ name }) => !isOwn(name) && !/\s/.test(name))];
}

const keys = [
  ["enter", "send; alt-enter, ctrl-j or \\ and enter begin a new line"],
  ["tab", "complete a command that begins with /, or a file after @; up and down choose"],
  ["@file", "attach a file; an image is sent as an image"],
  ["ctrl-v", "paste the image in the clipboard"],
  ["!command", "run a command in your shell; !! also gives its output to the agent"],
  ["shift-tab", "the next mode; bypass only by /mode bypassPermissions"],
  ["alt-p", "the next model"],
  ["ctrl-o", "show the whole of the last folded output"],
  ["up, down", "earlier prompts; ctrl-r searches them"],
  ["esc", "stop the agent; in a permission question: refuse; twice: go back (if the agent has /rewind)"],
  ["ctrl-c", "stop the agent; a second time: leave"],
] as const;

export function helpLines(words: readonly SlashCompletion[], theme: Theme): readonly string[] {
  const rows = [
    ...words.map(({ name, description }) => [`/${name}`, description] as const),
    ["", ""] as const,
    ...keys,
  ];
  const { paint, columns } = theme;
  const longest = Math.min(
    26,
    largest(
      0,
      rows.map(([term]) => widthOf(sanitizeLine(term))),
    ),
  );
  return rows.flatMap(([term, about]) => {
    const name = sanitizeLine(term);
    const gap = " ".repeat(Math.max(1, longest - widthOf(name) + 2));
    return wrap(`  ${paint.cyan(name)}${gap}${paint.dim(sanitizeLine(about))}`, columns(), " ".repeat(longest + 4));
  });
}

/** The choices of an option, with the current one marked. */
export function optionLines(one: SessionOption, { paint, columns }: Theme): readonly string[] {
  return [
    `${paint.bold(sanitizeLine(one.name))} ${paint.dim(`is ${shownValue(one)}`)}`,
    ...one.choices.flatMap(({ value, name, description = "" }, i) => {
      const mark = value === one.value ? paint.green(glyphs.done) : " ";
      const colour = isRisky(value) ? paint.red : (text: string): string => text;
      const about = description === "" ? "" : ` ${paint.dim(`· ${sanitizeLine(description)}`)}`;
      const line = `  ${mark} ${paint.cyan(String(i + 1))} ${colour(sanitizeLine(name))} ${paint.dim(sanitizeLine(value))}${about}`;
      return wrap(line, columns(), "      ");
    }),
  ];
}

function isOwn(word: string): word is OwnWord {
  return Object.hasOwn(own, word);
}
