/**
 * Escapes the characters by which text controls a terminal.
 *
 * C0 controls other than tab and newline, DEL, C1 controls, bidirectional controls and
 * invisible characters become `\uXXXX`. Inside JSON that is the same value, so printed
 * JSON may be escaped too. Carriage returns and backspaces are escaped because both
 * overwrite the text before them.
 */

// Tag characters (U+E0000 to U+E0FFF) are surrogate pairs; each half is escaped, as in JSON.
const controls =
  // oxlint-disable-next-line no-control-regex
  /[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\udb40-\udb43][\udc00-\udfff]/g;

export function escapeControls(text: string): string {
  return text.replaceAll(controls, escapeUnits);
}

function escapeUnits(text: string): string {
  let escaped = "";
  for (let i = 0; i < text.length; i++) escaped += `\\u${text.charCodeAt(i).toString(16).padStart(4, "0")}`;
  return escaped;
}
