/**
 * Themes for specs: a terminal without colours, one with colours, and a pipe.
 */
import type { Theme } from "../../../../lib/program/chat/render/theme.ts";
import { textStyle } from "../../../../lib/program/ansi.ts";

export const bare: Theme = { paint: textStyle(false), columns: () => 60, isLive: true, showsThoughts: false };
export const coloured: Theme = { ...bare, paint: textStyle(true) };
export const piped: Theme = { ...bare, columns: () => Infinity, isLive: false };

/** Styles by name, so that a spec can be read. */
export function spelled(text: string): string {
  const names: Readonly<Record<string, string>> = {
    1: "<b>",
    2: "<dim>",
    3: "<i>",
    22: "</>",
    23: "</i>",
    31: "<red>",
    32: "<green>",
    33: "<yellow>",
    35: "<magenta>",
    36: "<cyan>",
    39: "</c>",
  };
  // oxlint-disable-next-line no-control-regex
  return text.replaceAll(/\x1b\[(\d+)m/g, (_, code: string) => names[code] ?? `<${code}>`);
}
