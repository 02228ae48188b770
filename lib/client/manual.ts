/**
 * Manual: commands as text to read in a terminal.
 *
 * Wraps at 80 columns, whatever the terminal's width, so that it reads the same in
 * a pager, in a file and in a bug report.
 */
import type { Manual } from "./command.ts";

const width = 80;
const column = 26;
const indent = "  ";

/** The whole page of one command. */
export function manualOf({ name, summary, operands, about, options, environment, examples }: Manual): string {
  const synopsis = [`bowline ${name}`, Object.keys(options).length > 0 ? "[options]" : "", operands ?? ""];
  const flags = Object.entries(options).map(([flag, { value, short, about: text }]): readonly [string, string] => [
    `${short === undefined ? "" : `${short}, `}${flag}${value === undefined ? "" : ` ${value}`}`,
    text,
  ]);
  return [
    wrap(`bowline ${name}: ${summary}`, ""),
    section("usage", `${indent}${synopsis.filter((part) => part !== "").join(" ")}\n`),
    about.map((paragraph) => `\n${wrap(paragraph, "")}`).join(""),
    section("options", rows([...flags, ["-h, --help", "show this page"]])),
    section("environment", rows(Object.entries(environment ?? {}))),
    section("examples", (examples ?? []).map((one) => `${indent}${one.line}\n${wrap(one.about, "      ")}`).join("")),
  ].join("");
}

/** The list of all commands. */
export function overview(summary: string, commands: readonly Manual[], environment: Manual["environment"]): string {
  return [
    `${summary}\n`,
    section("usage", `${indent}bowline [command] [options]\n${indent}bowline <command> --help\n`),
    section("commands", rows(commands.map((one) => [one.name, one.summary] as const))),
    section(
      "options",
      rows([
        ["-h, --help", "show this page"],
        ["--version", "print the version"],
      ]),
    ),
    section("environment", rows(Object.entries(environment ?? {}))),
    section(
      "exit codes",
      rows([
        ["0", "it did its work"],
        ["1", "it could not; stderr says why and what to do next"],
        ["2", "it was called wrongly"],
      ]),
    ),
  ].join("");
}

function section(title: string, body: string): string {
  return body === "" ? "" : `\n${title}:\n${body}`;
}

function rows(pairs: readonly (readonly [string, string])[]): string {
  return pairs.map(([term, text]) => row(term, text)).join("");
}

function row(term: string, text: string): string {
  const start = `${indent}${term}`;
  const body = wrap(text, " ".repeat(column));
  return start.length < column - 1 ? start.padEnd(column) + body.slice(column) : `${start}\n${body}`;
}

/** Words in lines no wider than the page, each after `margin`. */
function wrap(text: string, margin: string): string {
  let line = margin;
  let page = "";
  for (const word of text.split(" ")) {
    if (line.length + word.length + 1 > width && line !== margin) {
      page += `${line}\n`;
      line = margin;
    }
    line += line === margin ? word : ` ${word}`;
  }
  return `${page}${line}\n`;
}
