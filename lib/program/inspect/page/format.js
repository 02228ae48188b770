/**
 * Formats values, durations and sizes for display.
 */
import { markInvisible } from "../../../serve/page/text/invisible-characters.js";

/** A string unchanged, undefined as "", anything else as JSON. @param {unknown} value */
export function textOf(value) {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}

/** One line of at most `most` characters, with invisible ones marked. @param {unknown} value */
export function short(value, most = 240) {
  return markInvisible(textOf(value).slice(0, most)).replace(/\s+/g, " ");
}

/** @param {number} ms */
export function time(ms) {
  if (ms < 1) return `${ms.toFixed(2)} ms`;
  if (ms < 999.5) return `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(2)} s`;
  return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1000)} s`;
}

/** @param {number} chars */
export function size(chars) {
  if (chars < 1024) return `${chars} B`;
  return chars < 1_048_576 ? `${(chars / 1024).toFixed(1)} KB` : `${(chars / 1_048_576).toFixed(1)} MB`;
}

/** @param {number} count @param {string} word */
export function many(count, word) {
  return `${count.toLocaleString("en")} ${word}${count === 1 ? "" : "s"}`;
}
