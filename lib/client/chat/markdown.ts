/**
 * Markdown: a line of the model's text as lines for a terminal.
 *
 * Headings, lists, quotes, rules, fences, and within a line bold, italic, code and
 * links. A line at a time, so that it can be shown while it is written. Without
 * colours the text stays as it came: its own marks are the best there are.
 */
import { harmless } from "./harmless.ts";
import type { Look } from "./look.ts";
import { glyphs, type Paint } from "./paint.ts";
import { wrap } from "./width.ts";

/** What a line means depends on those before it. */
export interface MarkdownState {
  /** The mark that ends the code we are in. */
  readonly fence: string | undefined;
}

export const startOfText: MarkdownState = { fence: undefined };

/** Longer lines are no prose; looking for marks in them takes time and finds nothing. */
const maxStyledChars = 4000;

export function markdownLine(
  state: MarkdownState,
  raw: string,
  { paint, columns }: Look,
): { readonly lines: readonly string[]; readonly state: MarkdownState } {
  const line = harmless(raw).trimEnd().replaceAll("\n", " ");
  const [, indent = "", mark = "", language = ""] = /^( {0,3})(`{3,}|~{3,}) *([^`]*)$/.exec(line) ?? [];
  if (state.fence !== undefined) {
    const isEnd = mark !== "" && language.trim() === "" && mark.startsWith(state.fence);
    if (isEnd) return { lines: paint.isOn ? [] : [line], state: startOfText };
    return { lines: paint.isOn ? wrap(`  ${paint.cyan(line)}`, columns(), "  ") : [line], state };
  }
  if (mark !== "") {
    return { lines: paint.isOn ? [] : [indent + mark + language], state: { fence: mark } };
  }
  if (!paint.isOn) return { lines: wrap(line, columns()), state };
  return { lines: styled(line, paint, columns()), state };
}

/** A line that is still being written, as if what is open in it were closed. */
export function closed(line: string): string {
  const text = line.replace(/[*_`]+$/, "");
  const code = (text.match(/`/g)?.length ?? 0) % 2 === 1 ? "`" : "";
  const bold = code === "" && (text.match(/\*\*/g)?.length ?? 0) % 2 === 1 ? "**" : "";
  return text + code + bold;
}

function styled(line: string, paint: Paint, columns: number): readonly string[] {
  const [, marks, heading] = /^(#{1,6}) +(.*?)(?: +#+)?$/.exec(line) ?? [];
  if (heading !== undefined) {
    const words = paint.bold(inline(heading, paint));
    return wrap(marks === "#" || marks === "##" ? paint.magenta(words) : words, columns);
  }
  if (/^ {0,3}(?:[-*_] *){3,}$/.test(line)) return [paint.dim("─".repeat(Math.min(columns, 40)))];
  const [, before = "", mark, item = ""] = /^(\s*)([-*+]|\d{1,9}[.)])\s+(.*)$/.exec(line) ?? [];
  if (mark !== undefined) {
    const sign = /\d/.test(mark) ? mark : glyphs.bullet;
    const hang = " ".repeat(before.length + sign.length + 1);
    return wrap(`${before}${paint.cyan(sign)} ${inline(item, paint)}`, columns, hang);
  }
  const [, quote] = /^ {0,3}> ?(.*)$/.exec(line) ?? [];
  if (quote !== undefined) return wrap(paint.dim(`│ ${inline(quote, paint)}`), columns, paint.dim("│ "));
  // Tables keep their shape where they fit; broken, nobody could read them.
  return wrap(inline(line, paint), columns);
}

const spans =
  /(`+)(.+?)\1(?!`)|\*\*(?=\S)(.+?)\*\*|__(?=\S)(.+?)__|\*(?=[^\s*])([^*]+)\*|(?<!\w)_(?=\S)([^_]+)_(?!\w)|\[([^\]]+)\]\(([^\s)]+)\)/g;

function inline(text: string, paint: Paint): string {
  if (text.length > maxStyledChars) return text;
  return text.replaceAll(
    spans,
    (
      whole,
      _ticks: unknown,
      code?: string,
      bold?: string,
      bolder?: string,
      italic?: string,
      slanted?: string,
      label?: string,
      url?: string,
    ) => {
      if (code !== undefined) return paint.cyan(code);
      const strong = bold ?? bolder;
      if (strong !== undefined) return paint.bold(inline(strong, paint));
      const soft = italic ?? slanted;
      if (soft !== undefined) return paint.italic(inline(soft, paint));
      if (label === undefined || url === undefined) return whole;
      return label === url ? label : `${label} ${paint.dim(`(${url})`)}`;
    },
  );
}
