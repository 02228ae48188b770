/**
 * Colours and weights of text in a terminal, as ANSI escape sequences.
 *
 * Uses only the sixteen colours of the terminal's own theme. Each style switches off
 * only what it switched on, so styles may be nested. lib/program/print.ts lets exactly
 * these sequences pass.
 */
import type { Environment } from "../process/index.ts";

const styles = {
  bold: [1, 22],
  dim: [2, 22],
  italic: [3, 23],
  strike: [9, 29],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  blue: [34, 39],
  magenta: [35, 39],
  cyan: [36, 39],
} as const;

export type Style = keyof typeof styles;

/** One function per style; each returns its text unchanged when `isOn` is false. */
export interface TextStyle extends Readonly<Record<Style, (text: string) => string>> {
  readonly isOn: boolean;
}

const weights: ReadonlySet<string> = new Set(["bold", "dim", "italic", "strike"]);

/** `hasColours` false: weights without colours, as no-color.org asks for. */
export function textStyle(isOn: boolean, hasColours: boolean = isOn): TextStyle {
  const functions = Object.entries(styles).map(([name, [on, off]]) => [
    name,
    (text: string) =>
      isOn && text !== "" && (hasColours || weights.has(name)) ? `\x1b[${on}m${text}\x1b[${off}m` : text,
  ]);
  // The entries have exactly the keys of `styles`.
  return { isOn, ...(Object.fromEntries(functions) as Record<Style, (text: string) => string>) };
}

/** The style of reports (check, doctor, zed): on in a terminal, unless NO_COLOR is set (no-color.org). */
export function reportStyle({ isTTY }: { readonly isTTY?: boolean }, { NO_COLOR, TERM }: Environment): TextStyle {
  return textStyle(isTTY === true && (NO_COLOR ?? "") === "" && TERM !== "dumb");
}

/** For chat and demo: FORCE_COLOR decides, then NO_COLOR; without them a terminal has colours and a pipe has none. */
export function wantsColour({ FORCE_COLOR, NO_COLOR, TERM }: Environment, isTerminal: boolean): boolean {
  if (FORCE_COLOR !== undefined) return FORCE_COLOR !== "0" && FORCE_COLOR !== "false";
  if (NO_COLOR !== undefined && NO_COLOR !== "") return false;
  return isTerminal && TERM !== "dumb";
}
