/**
 * Harmless: text of others as text that a terminal only shows.
 *
 * Nothing in it moves the cursor, writes to the clipboard, turns the reading
 * direction round or hides what comes before it. What is taken away leaves a mark,
 * so that a person sees there was something. `visible` is stricter, for text a person
 * decides about: it also marks what cannot be seen, such as soft hyphens.
 */
import { codePointMark, markInvisible } from "../../../schema/index.ts";

/** Control characters but tab and newline, and what changes direction or shows nothing. */
const dangerous =
  // oxlint-disable-next-line no-control-regex
  /[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e0fff}]|\p{Surrogate}/gu;
// oxlint-disable-next-line no-control-regex
const styles = /\x1b\[[\d;:?]*[A-Za-z]|\x1b\]8;[^\x07\x1b]*(?:\x07|\x1b\\)/g;

/** May have several lines, all of them ended by a newline alone. */
export function sanitize(text: string): string {
  return text
    .replaceAll(/\r\n?/g, "\n")
    .replaceAll("\t", "    ")
    .replaceAll(dangerous, (character) => codePointMark(character.codePointAt(0) ?? 0));
}

/** What a command printed: its colours, links and cursor movements are no news to anybody. */
export function sanitizeOutput(text: string): string {
  return sanitize(text.replaceAll(styles, ""));
}

/** The whole text on one line. */
export function sanitizeLine(text: string): string {
  return sanitize(text).replaceAll(/\s+/g, " ").trim();
}

/** Text that is asked about: every character can be seen. May have several lines. */
export function visible(text: string): string {
  return sanitize(markInvisible(text));
}

/** The same, on one line. */
export function visibleLine(text: string): string {
  return sanitizeLine(markInvisible(text));
}
