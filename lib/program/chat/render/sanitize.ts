/**
 * Makes text from agents, models and commands safe to print in a terminal.
 *
 * The result cannot move the cursor, write to the clipboard, reverse the reading
 * direction or hide other text. Each removed character leaves a visible mark. `visible`
 * is stricter, for text that the user decides about: it also marks characters that
 * cannot be seen, such as soft hyphens.
 */
import { codePointMark, markInvisible } from "../../../schema/index.ts";

/** Control characters except tab and newline, and characters that change direction or have no width. */
const dangerous =
  // oxlint-disable-next-line no-control-regex
  /[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e0fff}]|\p{Surrogate}/gu;
// oxlint-disable-next-line no-control-regex
const styles = /\x1b\[[\d;:?]*[A-Za-z]|\x1b\]8;[^\x07\x1b]*(?:\x07|\x1b\\)/g;

/** The result may have several lines; line ends become \n and tabs become spaces. */
export function sanitize(text: string): string {
  return text
    .replaceAll(/\r\n?/g, "\n")
    .replaceAll("\t", "    ")
    .replaceAll(dangerous, (character) => codePointMark(character.codePointAt(0) ?? 0));
}

/** For the output of a command: removes colours, links and cursor movements without a mark. */
export function sanitizeOutput(text: string): string {
  return sanitize(text.replaceAll(styles, ""));
}

/** The whole text on one line. */
export function sanitizeLine(text: string): string {
  return sanitize(text).replaceAll(/\s+/g, " ").trim();
}

/** For text of a permission request: every character is visible. May have several lines. */
export function visible(text: string): string {
  return sanitize(markInvisible(text));
}

/** `visible` on one line. */
export function visibleLine(text: string): string {
  return sanitizeLine(markInvisible(text));
}
