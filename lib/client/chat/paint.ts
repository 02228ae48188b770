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
  blue: [34, 39],
  magenta: [35, 39],
  cyan: [36, 39],
} as const;

export type Style = keyof typeof styles;

export interface Paint extends Readonly<Record<Style, (text: string) => string>> {
  readonly isOn: boolean;
}

export function paint(isOn: boolean): Paint {
  const brush = ([on, off]: readonly [number, number]) => (text: string) =>
    isOn && text !== "" ? `\x1b[${on}m${text}\x1b[${off}m` : text;
  const { bold, dim, italic, red, green, yellow, blue, magenta, cyan } = styles;
  return {
    isOn,
    bold: brush(bold),
    dim: brush(dim),
    italic: brush(italic),
    red: brush(red),
    green: brush(green),
    yellow: brush(yellow),
    blue: brush(blue),
    magenta: brush(magenta),
    cyan: brush(cyan),
  };
}

type Environment = Readonly<Record<string, string | undefined>>;

/** FORCE_COLOR and NO_COLOR are a person's word; otherwise a terminal has colours and a pipe has none. */
export function isColourful(env: Environment, isTerminal: boolean): boolean {
  const { FORCE_COLOR, NO_COLOR, TERM } = env;
  if (FORCE_COLOR !== undefined) return FORCE_COLOR !== "0" && FORCE_COLOR !== "false";
  if (NO_COLOR !== undefined && NO_COLOR !== "") return false;
  return isTerminal && TERM !== "dumb";
}

export interface Glyphs {
  readonly done: string;
  readonly failed: string;
  readonly doing: string;
  readonly open: string;
  readonly thought: string;
  readonly bullet: string;
  readonly prompt: string;
  readonly more: string;
  readonly rule: string;
  readonly frames: readonly string[];
}

const drawn: Glyphs = {
  done: "✓",
  failed: "✗",
  doing: "◐",
  open: "○",
  thought: "✻",
  bullet: "•",
  prompt: "❯",
  more: "…",
  rule: "─",
  frames: [..."⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"],
};

const typed: Glyphs = {
  done: "+",
  failed: "x",
  doing: "~",
  open: "-",
  thought: "*",
  bullet: "-",
  prompt: ">",
  more: "...",
  rule: "-",
  frames: ["|", "/", "-", "\\"],
};

/** The console of Linux and that of old Windows have no more than letters. */
export function glyphs({ TERM, WT_SESSION, TERM_PROGRAM }: Environment, platform: string): Glyphs {
  const hasSigns = platform === "win32" ? WT_SESSION !== undefined || TERM_PROGRAM !== undefined : TERM !== "linux";
  return hasSigns ? drawn : typed;
}
