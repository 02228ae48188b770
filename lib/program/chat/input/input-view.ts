/**
 * Input line: the draft as lines with a cursor, and what could be meant by a word
 * that begins with a slash.
 */
import type { Draft } from "./line-editor.ts";
import { sanitize, sanitizeLine } from "../render/sanitize.ts";
import { glyphs, type Theme } from "../render/theme.ts";
import type { CursorPosition } from "../frontend/screen.ts";
import { chop, cut, widthOf } from "../render/text-width.ts";

/** A word a person can say after a slash. */
export interface SlashCompletion {
  readonly name: string;
  readonly description: string;
}

const maxRows = 10;
const maxCompletions = 6;
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

/** The words that begin as the draft does; none when it is no such word. */
export function completionsFor({ text }: Draft, words: readonly SlashCompletion[]): readonly SlashCompletion[] {
  const [, start] = /^\/(\S*)$/.exec(text) ?? [];
  return start === undefined ? [] : words.filter(({ name }) => name.startsWith(start));
}

/** The draft's word, as far as the offers agree. */
export function completed(offers: readonly SlashCompletion[]): string | undefined {
  const [first, ...others] = offers.map(({ name }) => name);
  if (first === undefined) return undefined;
  if (others.length === 0) return `/${first} `;
  let length = first.length;
  for (const other of others) while (!other.startsWith(first.slice(0, length))) length--;
  return `/${first.slice(0, length)}`;
}

export function completionLines(offers: readonly SlashCompletion[], { paint, columns }: Theme): readonly string[] {
  const longest = Math.min(24, Math.max(0, ...offers.map(({ name }) => widthOf(name))));
  const lines = offers.slice(0, maxCompletions).map(({ name, description }) => {
    const word = cut(sanitizeLine(`/${name}`), longest + 1, glyphs.more);
    const gap = " ".repeat(longest + 2 - widthOf(word) + 1);
    return `  ${paint.cyan(word)}${gap}${paint.dim(cut(sanitizeLine(description), columns() - longest - 6, glyphs.more))}`;
  });
  const rest = offers.length - lines.length;
  return rest > 0 ? [...lines, `  ${paint.dim(`${glyphs.more} ${rest} more`)}`] : lines;
}

function shown(line: string): string {
  return sanitize(line).replaceAll("\n", " ");
}
