/**
 * Paint: how text stands out, or that it does not.
 *
 * Only the sixteen colours of the terminal's own theme. Each style ends what it
 * began and nothing else, so styles may be nested.
 */

const styles = {
  bold: [1, 22],
  dim: [2, 22],
  italic: [3, 23],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  magenta: [35, 39],
  cyan: [36, 39],
} as const;

export type Style = keyof typeof styles;

export interface TextStyle extends Readonly<Record<Style, (text: string) => string>> {
  readonly isOn: boolean;
}

export function paint(isOn: boolean): TextStyle {
  const brushes = Object.entries(styles).map(([name, [on, off]]) => [
    name,
    (text: string) => (isOn && text !== "" ? `\x1b[${on}m${text}\x1b[${off}m` : text),
  ]);
  // One brush for each of the styles.
  return { isOn, ...(Object.fromEntries(brushes) as Record<Style, (text: string) => string>) };
}

type Environment = Readonly<Record<string, string | undefined>>;

/** FORCE_COLOR and NO_COLOR are a person's word; otherwise a terminal has colours and a pipe has none. */
export function isColourful(env: Environment, isTerminal: boolean): boolean {
  const { FORCE_COLOR, NO_COLOR, TERM } = env;
  if (FORCE_COLOR !== undefined) return FORCE_COLOR !== "0" && FORCE_COLOR !== "false";
  if (NO_COLOR !== undefined && NO_COLOR !== "") return false;
  return isTerminal && TERM !== "dumb";
}

export const glyphs = {
  done: "✓",
  failed: "✗",
  doing: "◐",
  open: "○",
  thought: "✻",
  bullet: "•",
  prompt: "❯",
  answer: "↳",
  highlighted: "▸",
  more: "…",
  frames: Array.from("⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"),
} as const;
