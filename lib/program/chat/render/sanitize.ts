/**
 * Makes text from agents, models and commands safe to print in a terminal.
 *
 * The result cannot move the cursor, write to the clipboard, reverse the reading
 * direction or hide other text. Each removed character leaves a visible mark. `visible`
 * is stricter, for text that the user decides about: it also marks unusual spaces and
 * long runs of blanks.
 */
import { codePointMark, markInvisible } from "../../../schema/index.ts";
import { replaceControls } from "../../../wire/index.ts";

// oxlint-disable-next-line no-control-regex
const styles = /\x1b\[[\d;:?]*[A-Za-z]|\x1b\]8;[^\x07\x1b]*(?:\x07|\x1b\\)/g;

/** The result may have several lines; line ends become \n and tabs become spaces. */
export function sanitize(text: string): string {
  const plain = text
    .replaceAll(/\r\n?/g, "\n")
    .replaceAll("\t", "    ")
    .replaceAll(/\p{Surrogate}/gu, marked);
  return replaceControls(plain, marked);
}

function marked(character: string): string {
  return codePointMark(character.codePointAt(0) ?? 0);
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
