/**
 * Renders a line of Markdown as terminal lines.
 *
 * Supports headings, lists, task lists, tables, quotes, rules, code blocks with syntax
 * colours, and within a line bold, italic, strikethrough, code and links. Works line by
 * line, so that text can be shown while it streams in; the rows of a table are kept until
 * it ends, because the widths depend on all of them. Without styles the Markdown source is kept, because its marks are readable as text.
 */
import { sanitize } from "./sanitize.ts";
import type { TextStyle } from "../../ansi.ts";
import { glyphs, type Theme } from "./theme.ts";
import { spansOf } from "./spans.ts";
import { highlight, type SyntaxState } from "./syntax.ts";
import { isTableRow, tableLines } from "./table.ts";
import { wrap } from "./text-width.ts";

/** What the lines before have opened. */
export interface MarkdownState {
  /** The mark that ends the open code block. */
  readonly fence: string | undefined;
  /** The language of the open code block. */
  readonly language: string;
  readonly syntax: SyntaxState;
  /** Rows of a table that has not ended yet. */
  readonly table: readonly string[];
}

export const startOfText: MarkdownState = { fence: undefined, language: "", syntax: undefined, table: [] };

/** Longer lines are data rather than prose and are not searched for marks. */
const maxStyledChars = 4000;
/** Nesting of bold and italic; deeper marks are printed as they are. */
const maxSpanDepth = 8;
/** Deeper list items are shown at this level. */
const maxListLevels = 32;
const columnsOfLevel = 2;
/** A longer table is shown as several. */
const maxTableRows = 200;

export interface MarkdownStep {
  readonly lines: readonly string[];
  readonly state: MarkdownState;
}

export function markdownLine(state: MarkdownState, raw: string, theme: Theme): MarkdownStep {
  const line = sanitize(raw).trimEnd().replaceAll("\n", " ");
  if (state.fence === undefined && theme.paint.isOn && isTableRow(line) && state.table.length < maxTableRows)
    return { lines: [], state: { ...state, table: [...state.table, line] } };
  const ended = markdownEnd(state, theme);
  const { lines, state: next } = lineWithoutTable({ ...state, table: [] }, line, theme);
  return { lines: [...ended, ...lines], state: next };
}

/** A whole text, indented by two columns. */
export function markdownText(text: string, theme: Theme): readonly string[] {
  const narrower = { ...theme, columns: () => theme.columns() - 2 };
  const lines: string[] = [];
  let state = startOfText;
  for (const line of text.split("\n")) {
    const step = markdownLine(state, line, narrower);
    lines.push(...step.lines);
    ({ state } = step);
  }
  return [...lines, ...markdownEnd(state, narrower)].map((line) => `  ${line}`);
}

/** The lines of a table that the text has not ended. */
export function markdownEnd({ table }: MarkdownState, { paint, columns }: Theme): readonly string[] {
  if (table.length === 0) return [];
  const style = { cell: (text: string) => inline(text, paint), heading: paint.bold, ruler: paint.dim };
  return tableLines(table, columns(), style) ?? table.flatMap((line) => wrap(inline(line, paint), columns()));
}

function lineWithoutTable(state: MarkdownState, line: string, { paint, columns }: Theme): MarkdownStep {
  const [, indent = "", mark = "", language = ""] = /^( {0,3})(`{3,}|~{3,})([^`]*)$/.exec(line) ?? [];
  if (state.fence !== undefined) {
    const isEnd = mark !== "" && language.trim() === "" && mark.startsWith(state.fence);
    if (isEnd) return { lines: paint.isOn ? [] : [line], state: startOfText };
    if (!paint.isOn) return { lines: [line], state };
    const { text, state: syntax } = highlight(line, state.language, state.syntax, paint);
    return { lines: wrap(`  ${text}`, columns(), "  "), state: { ...state, syntax } };
  }
  if (mark !== "") {
    const [name = ""] = language.trim().split(/\s/);
    const lines = paint.isOn ? [] : [indent + mark + language.trimStart()];
    return { lines, state: { ...startOfText, fence: mark, language: name } };
  }
  if (!paint.isOn) return { lines: wrap(line, columns()), state };
  return { lines: styled(line, paint, columns()), state };
}

/** Closes the marks that an unfinished line has opened. */
export function closed(line: string): string {
  let end = line.length;
  while (end > 0 && "*_`".includes(line.charAt(end - 1))) end--;
  const text = line.slice(0, end);
  const code = (text.match(/`/g)?.length ?? 0) % 2 === 1 ? "`" : "";
  const bold = code === "" && (text.match(/\*\*/g)?.length ?? 0) % 2 === 1 ? "**" : "";
  return text + code + bold;
}

function styled(line: string, paint: TextStyle, columns: number): readonly string[] {
  const [, marks] = /^(#{1,6}) /.exec(line) ?? [];
  if (marks !== undefined) {
    const words = paint.bold(inline(headingWords(line), paint));
    return wrap(marks === "#" || marks === "##" ? paint.magenta(words) : words, columns);
  }
  if (/^ {0,3}(?:[-*_] *){3,}$/.test(line)) return [paint.dim("─".repeat(Math.min(columns, 40)))];
  const [, before = "", mark, item = ""] = /^(\s*)([-*+]|\d{1,9}[.)])\s+(.*)$/.exec(line) ?? [];
  if (mark !== undefined) {
    const [, box, task] = /^\[([ xX])\] (.*)$/.exec(item) ?? [];
    const bullet = box === undefined ? glyphs.bullet : box === " " ? glyphs.open : glyphs.done;
    const numbered = box === undefined ? mark : `${mark} ${bullet}`;
    const sign = /\d/.test(mark) ? numbered : bullet;
    // At least half of the width is left for the text.
    const most = Math.min(maxListLevels * columnsOfLevel, Math.floor(columns / 2));
    const indent = before.slice(0, most);
    const hang = " ".repeat(Math.min(indent.length + sign.length + 1, most));
    return wrap(`${indent}${paint.cyan(sign)} ${inline(task ?? item, paint)}`, columns, hang);
  }
  const [, quote] = /^ {0,3}> ?(.*)$/.exec(line) ?? [];
  if (quote !== undefined) return wrap(paint.dim(`│ ${inline(quote, paint)}`), columns, paint.dim("│ "));
  return wrap(inline(line, paint), columns);
}

function inline(text: string, paint: TextStyle, depth = 0): string {
  if (text.length > maxStyledChars || depth > maxSpanDepth) return text;
  const parts = spansOf(text).map((span) => {
    switch (span.kind) {
      case "text":
        return span.text;
      case "code":
        return paint.cyan(span.text);
      case "bold":
        return paint.bold(inline(span.text, paint, depth + 1));
      case "italic":
        return paint.italic(inline(span.text, paint, depth + 1));
      case "strike":
        return paint.strike(inline(span.text, paint, depth + 1));
      case "link":
        return span.text === span.url ? span.text : `${span.text} ${paint.dim(`(${span.url})`)}`;
    }
  });
  return parts.join("");
}

/** The text of a heading, without leading and trailing number signs. */
function headingWords(text: string): string {
  const words = text.replace(/^#+ +/, "");
  let end = words.length;
  while (words[end - 1] === "#") end--;
  if (end < words.length && (end === 0 || words[end - 1] === " ")) return words.slice(0, end).trimEnd();
  return words;
}
