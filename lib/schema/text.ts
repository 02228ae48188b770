/**
 * Text: a part of a text that is still text.
 *
 * Half a surrogate pair, cut or sent so, makes a whole message unreadable to strict
 * JSON parsers.
 */

/** A stranger's word, fit to be told: no longer than this, and a mark for each half of a pair. */
export function shownWord(word: string, maxChars: number): string {
  return word.slice(0, maxChars).replace(/\p{Surrogate}/gu, "\ufffd");
}
