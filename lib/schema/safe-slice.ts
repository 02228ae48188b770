/**
 * Cuts text without leaving half a surrogate pair.
 *
 * Strict JSON parsers refuse a whole message that contains half a pair.
 */

/** The first `chars` characters, one fewer where the cut would split a surrogate pair. */
export function sliceWhole(text: string, chars: number): string {
  const last = text.charCodeAt(chars - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? chars - 1 : chars);
}

/** An untrusted word, safe to quote in a message: cut to `maxChars`, lone surrogates replaced by U+FFFD. */
export function shownWord(word: string, maxChars: number): string {
  return word.slice(0, maxChars).replace(/\p{Surrogate}/gu, "\ufffd");
}
