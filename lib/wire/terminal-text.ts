/**
 * Escapes the characters by which text controls a terminal.
 *
 * C0 controls other than tab and newline, DEL, C1 controls, bidirectional controls and
 * all characters that Unicode says to ignore in display become `\uXXXX`. Inside JSON that is the same value, so printed
 * JSON may be escaped too. Carriage returns and backspaces are escaped because both
 * overwrite the text before them.
 */

const controls =
  // oxlint-disable-next-line no-control-regex
  /[\0-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ufff9-\ufffb\p{Bidi_Control}\p{Default_Ignorable_Code_Point}]/gu;

export function escapeControls(text: string): string {
  return replaceControls(text, escapeUnits);
}

/** The text with each such character replaced, except those that are part of an emoji. */
export function replaceControls(text: string, replacement: (character: string) => string): string {
  return text.replaceAll(controls, (found, at: number) =>
    (found === variation || found === joiner) && isInEmoji(text, at) ? found : replacement(found),
  );
}

const variation = "\ufe0f";
const joiner = "\u200d";
const emojiBefore = /\p{Extended_Pictographic}(?:\ufe0f|\p{Emoji_Modifier})?$/u;
const emojiAfter = /^\p{Extended_Pictographic}/u;

/** Whether the joiner at an index is between two emoji, or the variation selector after one. */
function isInEmoji(text: string, at: number): boolean {
  const [before, after] = [text.slice(Math.max(0, at - 4), at), text.slice(at + 1, at + 3)];
  if (text[at] === joiner) return emojiBefore.test(before) && emojiAfter.test(after);
  return /\p{Extended_Pictographic}$/u.test(before) || (/[\d#*]$/.test(before) && after.startsWith("\u20e3"));
}

/** A character above U+FFFF as both of its halves, as in JSON. */
function escapeUnits(text: string): string {
  let escaped = "";
  for (let i = 0; i < text.length; i++) escaped += `\\u${text.charCodeAt(i).toString(16).padStart(4, "0")}`;
  return escaped;
}
