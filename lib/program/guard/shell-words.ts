/**
 * Splits a shell command into simple commands and their words, or says that it cannot.
 *
 * Reads only what means the same in every POSIX shell: plain words, quotes, and the
 * operators `&&`, `||`, `;`, `|` and newline. Everything that a shell would expand,
 * redirect or nest is not understood, so that it is never allowed by a rule.
 */

import { anyParts, matchesParts } from "./wildcards.ts";

/** Undefined when any part of the command is not understood. */
export function shellCommands(line: string): readonly (readonly string[])[] | undefined {
  if (line.length > maxChars || unprintable.test(line)) return undefined;
  const commands: string[][] = [];
  let words: string[] = [];
  let at = 0;
  for (;;) {
    const operator = match(/(?:[ \t]*)(&&|\|\||[;|\n])?/y);
    if (operator !== undefined && operator !== "") {
      // An operator without a command before it, as in `;;`, is not understood.
      if (words.length === 0) return undefined;
      commands.push(words);
      words = [];
      continue;
    }
    if (at >= line.length) break;
    const word = readWord();
    if (word === undefined) return undefined;
    if (words.length === 0 && (reserved.has(word) || word.includes("="))) return undefined;
    words.push(word);
  }
  if (words.length > 0) commands.push(words);
  return commands.length === 0 ? undefined : commands;

  function readWord(): string | undefined {
    let word = "";
    const start = at;
    // zsh replaces `=name` by the path of a program.
    if (line[start] === "=") return undefined;
    for (;;) {
      const plain = exec(/[A-Za-z0-9_@%+=:,./^-]+/y);
      const single = plain === undefined ? exec(/'[^']*'/y) : undefined;
      const double = plain === undefined && single === undefined ? exec(/"[^"$`\\]*"/y) : undefined;
      if (plain !== undefined) word += plain;
      else if (single !== undefined) word += single.slice(1, -1);
      else if (double !== undefined) word += double.slice(1, -1);
      else break;
    }
    const isAtBorder = at >= line.length || /[ \t\n;|&]/.test(line[at] ?? "");
    return at > start && isAtBorder ? word : undefined;
  }

  function exec(token: RegExp): string | undefined {
    token.lastIndex = at;
    const found = token.exec(line)?.[0];
    if (found !== undefined) at += found.length;
    return found;
  }

  /** Skips blanks and returns the operator after them; "" when there is none. */
  function match(token: RegExp): string | undefined {
    token.lastIndex = at;
    const found = token.exec(line);
    at += found?.[0].length ?? 0;
    return found?.[1] ?? "";
  }
}

/**
 * Whether words match a pattern of words. `*` in a word is any part of that word; a last
 * word `*` is any number of further words, also none.
 */
export function matchesCommand(words: readonly string[], pattern: string): boolean {
  const wanted = pattern.trim().split(/\s+/);
  const isOpen = wanted.at(-1) === "*";
  const fixed = isOpen ? wanted.slice(0, -1) : wanted;
  if (isOpen ? words.length < fixed.length : words.length !== fixed.length) return false;
  return fixed.every((one, i) => matchesGlob(words[i] ?? "", one));
}

/** Whether a text matches a pattern in which `*` matches any characters. */
export function matchesGlob(text: string, pattern: string): boolean {
  return matchesParts(text, anyParts(pattern));
}

const maxChars = 10_000;

/** Control characters, and characters that a user cannot see. */
// oxlint-disable-next-line no-control-regex
const unprintable = /[\0-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\p{Bidi_Control}\p{Default_Ignorable_Code_Point}]/u;

/** Words that change the meaning of what follows. */
const reserved = new Set(
  "if then else elif fi for while until do done case esac select function in time coproc eval exec source . command builtin alias trap".split(
    " ",
  ),
);
