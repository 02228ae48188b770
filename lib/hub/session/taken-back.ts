/**
 * The text for the other clients of a session when one client has taken prompts back.
 */
import { isRecord, recordsIn, sliceWhole, textIn } from "../../schema/index.ts";

const maxShownChars = 80;

/** `result` is what the agent answered to `_session/rewind`. */
export function takenBack(result: unknown): string {
  const given = isRecord(result) ? result : {};
  const later = given["later"];
  const count = 1 + (Array.isArray(later) ? later.length : 0);
  const text = recordsIn(given, "prompt")
    .map((block) => textIn(block, "text") ?? "")
    .join(" ")
    .replaceAll(/\s+/g, " ")
    .trim();
  const shown = text.length > maxShownChars ? `${sliceWhole(text, maxShownChars)}…` : text;
  const what = count === 1 ? "a prompt and its answer" : `${count} prompts and their answers`;
  const first = shown === "" ? "" : count === 1 ? `: "${shown}"` : `, beginning with "${shown}"`;
  return `Another client has taken back ${what}${first}. This is no longer part of the conversation.`;
}
