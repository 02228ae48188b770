/**
 * Finds and colours the name of the engine at the beginning of a message: `[Claude]` or
 * `[Codex]`.
 *
 * A session with both engines puts the name before each message and each title. A Markdown
 * block such as a heading or a code block is one only at the beginning of a line, so there
 * the name has a line of its own.
 */
import type { Theme } from "./theme.ts";

const colours = { "[Claude]": "yellow", "[Codex]": "blue" } as const;
const labels = ["[Claude]", "[Codex]"] as const;

/** The name at the beginning of a line, and what follows it; the name is "" where there is none. */
export function splitLabel(line: string): { readonly label: string; readonly rest: string } {
  const label = labels.find((one) => line === one || line.startsWith(`${one} `)) ?? "";
  return { label, rest: line.slice(label.length).trimStart() };
}

/** Whether the line begins a heading, a list, a quote, a table, a rule or a code block. */
export function beginsBlock(line: string): boolean {
  return /^ {0,3}(?:#{1,6} |[-*+] |\d{1,9}[.)] |>|\||`{3}|~{3}|(?:[-*_] *){3,}$)/.test(line);
}

/** The text with a coloured name, where it begins with one. */
export function engineLabelled(text: string, { paint }: Pick<Theme, "paint">): string {
  const label = labels.find((one) => text === one || text.startsWith(`${one} `));
  return label === undefined ? text : paint.bold(paint[colours[label]](label)) + text.slice(label.length);
}
