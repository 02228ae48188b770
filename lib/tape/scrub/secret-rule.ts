/**
 * A rule that hides secrets in text: a pattern, and what is shown in its place.
 */

/** `before` and `value` are the first two groups of the pattern; the last two of `rest` are the index and the text. */
export type Replacer = (whole: string, before: string, value: string, ...rest: readonly unknown[]) => string;
/** `hint` is a cheap test that is true for every text in which the pattern could match. */
export type SecretRule = readonly [pattern: RegExp, shown: string | Replacer, hint?: RegExp];

/** Applies the rules one after the other. */
export function replaced(text: string, rules: readonly SecretRule[]): string {
  let clean = text;
  for (const [pattern, shown, hint] of rules) {
    if (hint?.test(clean) === false) continue;
    // Two calls, because `replace` has no overload for a string or function.
    clean = typeof shown === "string" ? clean.replace(pattern, shown) : clean.replace(pattern, shown);
  }
  return clean;
}
