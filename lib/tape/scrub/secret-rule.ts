/**
 * A rule that hides secrets in text: a pattern, and what is shown in its place.
 */

/** `before` and `value` are the first two groups of the pattern; the last two of `rest` are the index and the text. */
export type Replacer = (whole: string, before: string, value: string, ...rest: readonly unknown[]) => string;
export type SecretRule = readonly [pattern: RegExp, shown: string | Replacer];

/** Applies the rules one after the other. */
export function replaced(text: string, rules: readonly SecretRule[]): string {
  let clean = text;
  // Two calls, because `replace` has no overload for a string or function.
  for (const [pattern, shown] of rules)
    clean = typeof shown === "string" ? clean.replace(pattern, shown) : clean.replace(pattern, shown);
  return clean;
}
