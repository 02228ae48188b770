/**
 * Splits the JSON text of an array into the texts of its elements.
 *
 * A batch needs the text of each message, because an id past 2^53 is read from its
 * digits. Scans the text once, without recursion.
 */
import { endOfString } from "./exact-integer.ts";

/** The text must be valid JSON and an array with at least one element. */
export function elementTexts(text: string): readonly string[] {
  const texts: string[] = [];
  let depth = 0;
  let start = 0;
  for (let at = 0; at < text.length;) {
    const char = text[at];
    if (char === "[" || char === "{") {
      depth++;
      if (depth === 1) start = at + 1;
    } else if (char === "]" || char === "}") {
      depth--;
      if (depth === 0) texts.push(text.slice(start, at));
    } else if (char === "," && depth === 1) {
      texts.push(text.slice(start, at));
      start = at + 1;
    }
    at = char === '"' ? endOfString(text, at) : at + 1;
  }
  return texts;
}
