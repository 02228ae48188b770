/**
 * Markdown that is made to take time or space: `size` is about its length in characters.
 */

type Shape = (size: number) => string;

const repeated =
  (unit: string, end = ""): Shape =>
  (size) =>
    unit.repeat(Math.ceil(size / unit.length)) + end;

/** Each level deeper than the last; its length is the square of its levels. */
export function nestedList(levels: number, mark = "-"): string {
  return Array.from({ length: levels }, (_, level) => `${"  ".repeat(level)}${mark} level${level}`).join("\n");
}

export function nestedQuote(levels: number): string {
  return Array.from({ length: levels }, (_, level) => `${"> ".repeat(level + 1)}level${level}`).join("\n");
}

/** The depth that makes a text of about this length. */
const levelsOf = (size: number): number => Math.ceil(Math.sqrt(size));

export const hostileMarkdown: Readonly<Record<string, Shape>> = {
  "nested lists": (size) => nestedList(levelsOf(size)),
  "nested numbered lists": (size) => nestedList(levelsOf(size), "1."),
  "nested quotes": (size) => nestedQuote(levelsOf(size)),
  "quote marks": repeated(">", "x"),
  "spaced quote marks": repeated("> ", "x"),
  "list marks on one line": repeated("- ", "x"),
  "quotes and lists in turn": repeated("> - ", "x"),
  stars: repeated("*"),
  "stars and a letter": repeated("*", "x"),
  "words that begin with stars": repeated("**a "),
  "words between stars": repeated("*a* "),
  "words that end with stars": repeated("a** "),
  underscores: repeated("_"),
  "words that begin with underscores": repeated("_a "),
  "words that begin with two underscores": repeated("__a "),
  backticks: repeated("`"),
  "backticks and a letter": repeated("`", "x"),
  "runs of backticks": (size) =>
    Array.from({ length: levelsOf(size) }, (_, i) => `${"`".repeat(i + 1)}a`)
      .join("")
      .slice(0, size),
  "backticks in pairs": repeated("`a``b```c"),
  "opening brackets": repeated("["),
  "brackets of links": repeated("[a]("),
  "links without an end": repeated("[a](b"),
  "opening brackets before one link": (size) => `${"[".repeat(size)}](${"x".repeat(size)}`,
  "brackets and parentheses": repeated("[a]((b)(c)"),
  links: repeated("[a](https://b.c) "),
  addresses: repeated("http://a.b "),
  "addresses of dots": repeated("http://..... "),
  "one address of dots": (size) => `http://${".".repeat(size)}`,
  "a heading of spaces": (size) => `# a${" ".repeat(size)}b`,
  "a heading of number signs": (size) => `# a${" #".repeat(size / 2)} b`,
  "a fence of spaces": (size) => `\`\`\`${" ".repeat(size)}\``,
  fences: repeated("```\n"),
  "a line of spaces": (size) => `${" ".repeat(size)}x`,
  "a table of pipes": repeated("|"),
  "a table of spaces": (size) => `|${" ".repeat(size)}|${" ".repeat(size)}x`,
  "table rows": repeated("| a | b |\n"),
  "a rule that is none": repeated("- ", " x"),
  "a rule of stars that is none": repeated("* * ", "x"),
  "blank lines": repeated("\n"),
  "blank lines in a list": repeated("- a\n\n"),
  "one long word": repeated("x"),
  "short lines": repeated("x\n"),
  "task boxes": repeated("- [ ] a\n"),
  "mixed marks": repeated("*_`[a](b)_*` **c__ "),
};

/** Pieces that a generator of random Markdown combines. */
export const markdownPieces = [
  "*",
  "**",
  "_",
  "__",
  "`",
  "``",
  "```",
  "[",
  "]",
  "(",
  ")",
  "](",
  "> ",
  "- ",
  "1. ",
  "# ",
  "| ",
  "|",
  "---",
  "\n",
  "\n\n",
  "  ",
  "    ",
  " ",
  "\t",
  "http://a.b",
  "word",
  "x",
  "é",
  "漢",
  "~~~",
  "\\",
  "<b>",
  "[x] ",
] as const;

/** The letters of a text, without marks and spaces; an info string behind a fence is a language, not text. */
export function lettersOf(text: string): string {
  return text.replaceAll(/[^\p{L}\p{N}]/gu, "");
}
