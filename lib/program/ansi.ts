/**
 * Paint: text with the colours a terminal shows.
 *
 * Only where there is a terminal and NO_COLOR is not set (no-color.org).
 */

const codes = { bold: [1, 22], dim: [2, 22], red: [31, 39], green: [32, 39], yellow: [33, 39] } as const;

export type Colour = keyof typeof codes;
export type Paint = (colour: Colour, text: string) => string;

export function painter(
  { isTTY }: { readonly isTTY?: boolean },
  { NO_COLOR, TERM }: Readonly<Record<string, string | undefined>>,
): Paint {
  if (isTTY !== true || (NO_COLOR ?? "") !== "" || TERM === "dumb") return (_, text) => text;
  return (colour, text) => `\x1b[${codes[colour][0]}m${text}\x1b[${codes[colour][1]}m`;
}
