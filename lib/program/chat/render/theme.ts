/**
 * The properties of the output that the renderers of the chat use: styles, width, and
 * whether lines can be redrawn. Also the symbols they print.
 */
import type { TextStyle } from "../../ansi.ts";

export interface Theme {
  readonly paint: TextStyle;
  /** The maximum width of a line. */
  readonly columns: () => number;
  /** The lines at the bottom can be redrawn until they are final. */
  readonly isLive: boolean;
  /** Thoughts are shown in full instead of in one line. */
  readonly showsThoughts: boolean;
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
