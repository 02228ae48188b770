/**
 * Formats the help page of a command and the overview of all commands.
 *
 * Wraps at 80 columns whatever the terminal's width, so that a page is the same in a
 * terminal, in a pager, in a file and in a bug report.
 */
import type { CommandHelp } from "./command.ts";

const width = 80;
const column = 26;
const indent = "  ";

/** The exit codes of every command, unless the command declares its own. */
const exitCodes: Readonly<Record<number, string>> = {
  0: "success",
  1: "failure; stderr says why and what to do next",
  2: "wrong usage; stderr says what is wrong",
};

/** The help page of one command. */
export function helpPage(manual: CommandHelp): string {
  const { name, summary, about, options, environment, examples, seeAlso } = manual;
  const flags = Object.entries(options).map(([flag, { value, short, about: text }]): readonly [string, string] => [
    `${short === undefined ? "" : `${short}, `}${flag}${value === undefined ? "" : ` ${value}`}`,
    text,
  ]);
  return [
    wrap(`bowline ${name}: ${summary}`.split(" "), ""),
    section("usage", synopsis(manual)),
    about.map((paragraph) => `\n${wrap(paragraph.split(" "), "")}`).join(""),
    section("options", rows([...flags, ["-h, --help", "show this page"]])),
    section("environment", rows(Object.entries(environment ?? {}))),
    section("exit codes", rows(Object.entries({ ...exitCodes, ...manual.exitCodes }))),
    section(
      "examples",
      (examples ?? []).map(({ line, about: text }) => `${folded(line)}${wrap(text.split(" "), "      ")}`).join(""),
    ),
    section("see also", seeAlso === undefined ? "" : wrap(references(seeAlso), indent)),
  ].join("");
}

/** The page of `bowline --help`. */
export function overview(
  summary: string,
  commands: readonly CommandHelp[],
  environment: CommandHelp["environment"],
): string {
  return [
    wrap(summary.split(" "), ""),
    section(
      "usage",
      ["[command] [options]", "help [command]", "--version"].map((words) => `${indent}bowline ${words}\n`).join(""),
    ),
    section("commands", rows(commands.map((one) => [one.name, one.summary] as const))),
    section(
      "options",
      rows([
        ["-h, --help", "show this page, or a command's"],
        ["-v, --version", "print the version"],
      ]),
    ),
    section("environment", rows(Object.entries(environment ?? {}))),
    section("exit codes", rows(Object.entries(exitCodes))),
  ].join("");
}

/** The usage line; an option and its value are never separated by a line break. */
function synopsis({ name, options, operands }: CommandHelp): string {
  const flags = Object.entries(options).map(
    ([flag, { value }]) => `[${flag}${value === undefined ? "" : ` ${value}`}]`,
  );
  const start = `${indent}bowline ${name}`;
  const margin = " ".repeat(start.length + 1);
  return start + wrap([...flags, ...(operands === undefined ? [] : [operands])], margin).slice(start.length);
}

function references(names: readonly string[]): readonly string[] {
  const shown = names.map((name) => (name.includes("/") ? name : `bowline ${name}`));
  return shown.map((name, i) => (i < shown.length - 1 ? `${name},` : name));
}

/** Breaks a long command line with backslashes, so that it can be pasted into a shell. */
function folded(line: string): string {
  const pieces = wrap(line.split(" "), indent, width - 6)
    .trimEnd()
    .split("\n");
  return `${pieces.join(" \\\n    ")}\n`;
}

function section(title: string, body: string): string {
  return body === "" ? "" : `\n${title}:\n${body}`;
}

function rows(pairs: readonly (readonly [string, string])[]): string {
  return pairs.map(([term, text]) => row(term, text)).join("");
}

function row(term: string, text: string): string {
  const start = `${indent}${term}`;
  const body = wrap(text.split(" "), " ".repeat(column));
  return start.length < column - 1 ? start.padEnd(column) + body.slice(column) : `${start}\n${body}`;
}

/** Fills lines of at most `limit` columns, each beginning with `margin`. */
function wrap(words: readonly string[], margin: string, limit = width): string {
  let line = margin;
  let page = "";
  for (const word of words) {
    if (line.length + word.length + 1 > limit && line !== margin) {
      page += `${line}\n`;
      line = margin;
    }
    line += line === margin ? word : ` ${word}`;
  }
  return `${page}${line}\n`;
}
