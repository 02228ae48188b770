/**
 * Finds what a permission request does not show of the input it asks about.
 *
 * An agent may describe a call by a title alone and have the rest in `rawInput`. The user
 * has to see that rest before deciding.
 */
import { isRecord } from "../schema/index.ts";

/** Places of a text that are looked at: a text of one letter has many. */
const maxTries = 100;

/** The top-level fields whose value is in none of the shown texts; undefined when there are none. */
export function unshownInput(input: unknown, shown: readonly string[]): unknown {
  const texts = shown.map(flat);
  if (!isRecord(input)) return isShown(input, texts) ? undefined : input;
  const fields = Object.entries(input).filter(([, value]) => !isShown(value, texts));
  return fields.length === 0 ? undefined : Object.fromEntries(fields);
}

/** The fields as text: a text as it is, everything else as JSON. */
export function inputText(input: unknown): string {
  if (!isRecord(input)) return typeof input === "string" ? input : jsonText(input);
  return Object.entries(input)
    .map(([key, value]) => `${key}: ${typeof value === "string" ? value : jsonText(value)}`)
    .join("\n");
}

/** An object or a list that is not empty never counts as shown, because its keys count too. */
function isShown(value: unknown, texts: readonly string[]): boolean {
  if (value == null || value === false) return true;
  if (typeof value === "object") return Object.keys(value).length === 0;
  const leaf = flat(typeof value === "string" ? value : jsonText(value));
  return leaf === "" || texts.some((text) => has(text, leaf));
}

function jsonText(value: unknown): string {
  try {
    return JSON.stringify(value, undefined, 2);
  } catch {
    return "(nested too deeply to be shown)";
  }
}

/** Whether the text has the leaf as whole words. */
function has(text: string, leaf: string): boolean {
  let at = text.indexOf(leaf);
  for (let tries = 0; at >= 0 && tries < maxTries; tries++, at = text.indexOf(leaf, at + 1))
    if (!isWord(text[at - 1]) && !isWord(text[at + leaf.length])) return true;
  return false;
}

function isWord(character: string | undefined): boolean {
  return character !== undefined && /[\p{L}\p{N}_]/u.test(character);
}

/** Lines may be wrapped and indented, so white space counts as one space. */
function flat(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}
