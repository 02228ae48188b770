/**
 * Compares a text with a pattern that has wildcards, in time proportional to their lengths:
 * the texts come from the model, and a regular expression with several wildcards could take hours.
 */

/** `name`: any characters but separators of paths; `any`: any characters. */
type Wildcard = "name" | "any";
export type PatternPart = { readonly text: string } | { readonly wildcard: Wildcard };

/** A pattern in which every `*` matches any characters. */
export function anyParts(pattern: string): readonly PatternPart[] {
  return parts(pattern, /(\*+)/, () => "any");
}

/** A pattern of a path: `*` is a part of a name, `**` any number of names. */
export function pathParts(pattern: string): readonly PatternPart[] {
  return parts(pattern, /(\*\*|\*)/, (star) => (star === "**" ? "any" : "name"));
}

function parts(pattern: string, stars: RegExp, kindOf: (star: string) => Wildcard): readonly PatternPart[] {
  // `split` with a capturing group puts the stars at the odd indexes.
  return pattern.split(stars).map((text, i) => (i % 2 === 1 ? { wildcard: kindOf(text) } : { text }));
}

export function matchesParts(text: string, pattern: readonly PatternPart[]): boolean {
  // The places in the text that the pattern so far can reach.
  let reached = new Uint8Array(text.length + 1);
  reached[0] = 1;
  for (const part of pattern) {
    const next = new Uint8Array(text.length + 1);
    let isOpen = false;
    for (let at = 0; at <= text.length; at++) {
      if ("wildcard" in part) {
        isOpen ||= reached[at] === 1;
        next[at] = isOpen ? 1 : 0;
        if (part.wildcard === "name" && isSeparator(text[at])) isOpen = false;
      } else if (reached[at] === 1 && text.startsWith(part.text, at)) next[at + part.text.length] = 1;
    }
    reached = next;
  }
  return reached[text.length] === 1;
}

/** Whether the pattern could match a path below a directory. Says yes where it is not sure. */
export function couldMatchBelow(directory: string, pattern: readonly PatternPart[]): boolean {
  const [first] = pattern;
  const fixed = first !== undefined && "text" in first ? first.text : "";
  const below = isSeparator(directory.at(-1)) ? directory : `${directory}/`;
  const isWhole = pattern.every((part) => "text" in part && part.text === (part === first ? fixed : ""));
  const plain = (text: string): string => text.replaceAll("\\", "/");
  return plain(fixed).startsWith(plain(below)) || (!isWhole && plain(below).startsWith(plain(fixed)));
}

function isSeparator(char: string | undefined): boolean {
  return char === "/" || char === "\\";
}
