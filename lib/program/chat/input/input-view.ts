/**
 * Renders the input line with its cursor, the messages that wait above it, and the completions
 * of a slash command.
 */
import type { Draft } from "./line-editor.ts";
import { sanitize, sanitizeLine } from "../render/sanitize.ts";
import { glyphs, type Theme } from "../render/theme.ts";
import type { CursorPosition } from "../frontend/screen.ts";
import { chop, cut, widthOf } from "../render/text-width.ts";

/** A command the user can type after a slash. */
export interface SlashCompletion {
  readonly name: string;
  readonly description: string;
}

const maxRows = 10;
const maxCompletions = 6;
const maxQueuedShown = 3;
const margin = 2;

export interface InputView {
  readonly lines: readonly string[];
  readonly cursor: CursorPosition;
}

export function inputLines({ text, at }: Draft, { paint, columns }: Theme): InputView {
  const available = Math.max(4, columns() - margin);
  const rowsOf = (part: string): readonly string[] => part.split("\n").flatMap((line) => chop(shown(line), available));
  const before = rowsOf(text.slice(0, at));
  const all = rowsOf(text.slice(0, at) + text.slice(at));
  const row = before.length - 1;
  const from = Math.max(0, Math.min(row - maxRows + 1, all.length - maxRows));
  const lines = all
    .slice(from, from + maxRows)
    .map((line, i) => `${i + from === 0 ? paint.cyan(glyphs.prompt) : " "} ${line}`);
  return { lines, cursor: { row: row - from, column: margin + widthOf(before.at(-1) ?? "") } };
}

/** The first messages that wait for the end of the turn. */
export function queuedLines(queue: readonly string[], { paint, columns }: Theme): readonly string[] {
  const lines = queue
    .slice(0, maxQueuedShown)
    .map((text) => `${glyphs.prompt} ${cut(sanitizeLine(text), columns() - 10, glyphs.more)} (waits)`);
  const rest = queue.length - lines.length;
  return [...lines, ...(rest > 0 ? [`  ${glyphs.more} ${rest} more`] : [])].map((line) => paint.dim(line));
}

/** The commands that begin with what the user typed; none when the draft is no slash command. */
export function completionsFor({ text }: Draft, words: readonly SlashCompletion[]): readonly SlashCompletion[] {
  const [, start] = /^\/(\S*)$/.exec(text) ?? [];
  return start === undefined ? [] : words.filter(({ name }) => name.startsWith(start));
}

/** The draft after Tab: the chosen completion, or as much as all completions begin with. Undefined: nothing to complete. */
export function afterTab(text: string, offers: readonly SlashCompletion[], index: number): string | undefined {
  const chosen = index > 0 || text.includes("@") ? offers[index] : undefined;
  if (chosen === undefined) return completed(offers);
  const isFile = !/^\/\S*$/.test(text);
  return `${isFile ? text.replace(/@\S*$/, "@") : "/"}${chosen.name} `;
}

/** The longest common prefix of the completions; with a space when there is only one. */
export function completed(completions: readonly SlashCompletion[]): string | undefined {
  const [first, ...others] = completions.map(({ name }) => name);
  if (first === undefined) return undefined;
  if (others.length === 0) return `/${first} `;
  let length = first.length;
  for (const other of others) while (!other.startsWith(first.slice(0, length))) length--;
  return `/${first.slice(0, length)}`;
}

/** `chosen`: the index of the completion that Tab takes; the window moves with it. */
export function completionLines(
  completions: readonly SlashCompletion[],
  { paint, columns }: Theme,
  chosen = 0,
): readonly string[] {
  const longest = Math.min(24, Math.max(0, ...completions.map(({ name }) => widthOf(name))));
  const from = Math.max(0, Math.min(chosen - maxCompletions + 1, completions.length - maxCompletions));
  const lines = completions.slice(from, from + maxCompletions).map(({ name, description }, i) => {
    const sign = description === "" ? "@" : "/";
    const word = cut(sanitizeLine(`${sign}${name}`), description === "" ? columns() - 4 : longest + 1, glyphs.more);
    const gap = " ".repeat(Math.max(1, longest + 2 - widthOf(word) + 1));
    const pointer = chosen > 0 && from + i === chosen ? glyphs.highlighted : " ";
    return `${pointer} ${paint.cyan(word)}${gap}${paint.dim(cut(sanitizeLine(description), columns() - longest - 6, glyphs.more))}`;
  });
  const rest = completions.length - from - lines.length;
  return rest > 0 ? [...lines, `  ${paint.dim(`${glyphs.more} ${rest} more, ↑ ↓ to choose`)}`] : lines;
}

function shown(line: string): string {
  return sanitize(line).replaceAll("\n", " ");
}
