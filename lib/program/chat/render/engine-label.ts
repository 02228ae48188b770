/**
 * Colours the name of the engine at the beginning of a message: `[Claude]` or `[Codex]`.
 *
 * A session with both engines puts the name before each message and each title.
 */
import type { Theme } from "./theme.ts";

const colours = { "[Claude]": "yellow", "[Codex]": "blue" } as const;

/** The lines with a coloured name at the start of the first one; other lines stay as they are. */
export function engineColoured(lines: readonly string[], theme: Pick<Theme, "paint">): readonly string[] {
  const [first, ...rest] = lines;
  return first === undefined ? lines : [engineLabelled(first, theme), ...rest];
}

/** The text with a coloured name, where it begins with one. */
export function engineLabelled(text: string, { paint }: Pick<Theme, "paint">): string {
  const label = (["[Claude]", "[Codex]"] as const).find((one) => text.startsWith(`${one} `));
  return label === undefined ? text : paint.bold(paint[colours[label]](label)) + text.slice(label.length);
}
