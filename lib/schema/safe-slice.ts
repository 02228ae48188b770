/**
 * Text: a part of a text that is still text.
 *
 * Half a surrogate pair, cut or sent so, makes a whole message unreadable to strict
 * JSON parsers.
 */

/** The first characters of a text, never half of a pair. */
export function sliceWhole(text: string, chars: number): string {
  const last = text.charCodeAt(chars - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? chars - 1 : chars);
}

/** A stranger's word, fit to be told: no longer than this, and a mark for each half of a pair. */
export function shownWord(word: string, maxChars: number): string {
  return word.slice(0, maxChars).replace(/\p{Surrogate}/gu, "\ufffd");
}
