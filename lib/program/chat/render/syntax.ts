/**
 * Colours source code in common languages, line by line.
 *
 * A small tokenizer: comments, strings, numbers and keywords. It may colour unusual code
 * wrongly but never changes a character. Time is proportional to the line: each rule
 * matches at the current place only.
 */
import type { TextStyle } from "../../ansi.ts";

/** What the lines before have opened: the mark that ends the comment or string. */
export type SyntaxState = { readonly until: string; readonly kind: "comment" | "string" } | undefined;

interface HighlightRules {
  readonly keywords: ReadonlySet<string>;
  readonly lineComments: readonly string[];
  /** Pairs of marks around comments of several lines. */
  readonly blockComments: readonly (readonly [string, string])[];
  /** Marks of strings that may have several lines. */
  readonly longStrings: readonly string[];
  readonly quotes: string;
}

/** Longer lines are data and stay plain. */
const maxLineChars = 2000;

const cLike = { lineComments: ["//"], blockComments: [["/*", "*/"]] as const, longStrings: [], quotes: "\"'" };
const hash = { lineComments: ["#"], blockComments: [], longStrings: [], quotes: "\"'" };

const languages: readonly (readonly [names: string, language: Omit<HighlightRules, "keywords">, keywords: string])[] = [
  [
    "js jsx ts tsx javascript typescript mjs cjs mts cts",
    { ...cLike, longStrings: ["`"] },
    "abstract any as async await boolean break case catch class const continue declare default delete do else enum export extends false finally for from function get if implements import in instanceof interface is keyof let namespace never new null number of private protected public readonly return satisfies set static string super switch this throw true try type typeof undefined unknown var void while yield",
  ],
  [
    "c h cpp cc cxx hpp objc java kt kotlin cs csharp swift scala dart php go rust rs zig",
    { ...cLike, longStrings: ["`"] },
    "abstract as async auto await bool break case catch chan char class companion const constexpr continue crate data def default defer delete do double else enum explicit extends extension extern false final finally float fn for foreach friend fun func function go goto guard if impl implements import in inline inout instanceof int interface internal is let long loop map match mod module move mut namespace new nil none null object open operator out override package private protected protocol pub public range readonly record ref return sealed select self short signed sizeof static struct super switch template this throw throws trait true try type typedef typename union unsafe unsigned use using val var virtual void volatile when where while with yield",
  ],
  [
    "py python",
    { ...hash, longStrings: ['"""', "'''"] },
    "and as assert async await break case class continue def del elif else except False finally for from global if import in is lambda match None nonlocal not or pass raise return self True try while with yield",
  ],
  [
    "rb ruby ex elixir",
    hash,
    "alias and begin break case class def defmodule do else elsif end ensure false for if in module next nil not or redo rescue retry return self super then true unless until when while yield",
  ],
  [
    "sh bash zsh fish shell console",
    hash,
    "case do done elif else esac export fi for function if in local return select set then unset until while",
  ],
  [
    "sql",
    { lineComments: ["--"], blockComments: [["/*", "*/"]], longStrings: [], quotes: "'" },
    "add all alter and as asc between by case create delete desc distinct drop else end exists from group having in index inner insert into is join key left like limit not null on or order outer primary right select set table then union unique update values view when where with",
  ],
  ["json jsonc json5", { ...cLike, quotes: '"' }, "true false null"],
  ["yaml yml toml ini dockerfile make makefile", hash, "true false null yes no on off"],
  [
    "lua",
    { lineComments: ["--"], blockComments: [["--[[", "]]"]], longStrings: [], quotes: "\"'" },
    "and break do else elseif end false for function if in local nil not or repeat return then true until while",
  ],
  [
    "css scss less",
    { lineComments: [], blockComments: [["/*", "*/"]], longStrings: [], quotes: "\"'" },
    "important media import from to",
  ],
  ["html xml svg vue", { lineComments: [], blockComments: [["<!--", "-->"]], longStrings: [], quotes: "\"'" }, ""],
];

const byName: ReadonlyMap<string, HighlightRules> = new Map(
  languages.flatMap(([names, language, keywords]) =>
    names.split(" ").map((name) => [name, { ...language, keywords: new Set(keywords.split(" ")) }] as const),
  ),
);

/** Colours one line; `state` is what the line before has returned. The line has no styles. */
export function highlight(
  line: string,
  name: string,
  state: SyntaxState,
  paint: TextStyle,
): { readonly text: string; readonly state: SyntaxState } {
  if (/^(?:diff|patch)$/.test(name)) return { text: diffLine(line, paint), state: undefined };
  const language = byName.get(name.toLowerCase());
  if (language === undefined || line.length > maxLineChars) return { text: paint.cyan(line), state: undefined };
  let text = "";
  let at = 0;
  let open = state;
  const style = (kind: "comment" | "string"): ((part: string) => string) =>
    kind === "comment" ? paint.dim : paint.green;
  while (at < line.length) {
    if (open !== undefined) {
      const found = line.indexOf(open.until, at);
      const end = found === -1 ? line.length : found + open.until.length;
      text += style(open.kind)(line.slice(at, end));
      at = end;
      if (found !== -1) open = undefined;
      continue;
    }
    const token = tokenAt(line, at, language);
    if (token.kind === "open") {
      open = token.opens;
      text += style(open.kind)(line.slice(at, token.end));
    } else text += painted(line.slice(at, token.end), token.kind, paint);
    at = token.end;
  }
  return { text, state: open };
}

type Token =
  | { readonly kind: "plain" | "comment" | "string" | "number" | "keyword" | "call"; readonly end: number }
  | { readonly kind: "open"; readonly end: number; readonly opens: NonNullable<SyntaxState> };

function tokenAt(line: string, at: number, language: HighlightRules): Token {
  for (const [start, until] of language.blockComments)
    if (line.startsWith(start, at)) return { kind: "open", end: at + start.length, opens: { until, kind: "comment" } };
  for (const mark of language.lineComments) {
    // In a shell `$#` and `a#b` are no comments.
    const isComment = line.startsWith(mark, at) && (mark !== "#" || at === 0 || /\s/.test(line[at - 1] ?? ""));
    if (isComment) return { kind: "comment", end: line.length };
  }
  for (const mark of language.longStrings)
    if (line.startsWith(mark, at))
      return { kind: "open", end: at + mark.length, opens: { until: mark, kind: "string" } };
  const character = line[at] ?? "";
  if (language.quotes.includes(character)) return { kind: "string", end: stringEnd(line, at, character) };
  words.lastIndex = at;
  const [word] = words.exec(line) ?? [];
  if (word !== undefined) {
    const end = at + word.length;
    if (/^\d/.test(word)) return { kind: "number", end };
    if (language.keywords.has(word)) return { kind: "keyword", end };
    return { kind: line[end] === "(" ? "call" : "plain", end };
  }
  others.lastIndex = at;
  return { kind: "plain", end: at + (others.exec(line)?.[0].length ?? 1) };
}

const words = /\d[\w.]*|[\p{L}_$][\p{L}\p{N}_$]*/uy;
const others = /\s+|[^]/uy;

function stringEnd(line: string, at: number, quote: string): number {
  for (let i = at + 1; i < line.length; i++) {
    if (line[i] === "\\") i++;
    else if (line[i] === quote) return i + 1;
  }
  // An apostrophe without a partner, such as a lifetime of Rust, is no string.
  return quote === "'" ? at + 1 : line.length;
}

function painted(text: string, kind: Exclude<Token["kind"], "open">, paint: TextStyle): string {
  switch (kind) {
    case "plain":
      return text;
    case "comment":
      return paint.dim(text);
    case "string":
      return paint.green(text);
    case "number":
      return paint.yellow(text);
    case "keyword":
      return paint.magenta(text);
    case "call":
      return paint.cyan(text);
  }
}

function diffLine(line: string, paint: TextStyle): string {
  if (line.startsWith("+")) return paint.green(line);
  if (line.startsWith("-")) return paint.red(line);
  return line.startsWith("@@") ? paint.cyan(line) : line;
}
