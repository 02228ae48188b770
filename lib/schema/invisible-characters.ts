/**
 * Replaces characters that a user cannot see, or would mistake for others, by marks.
 *
 * For text that a user decides about: commands, paths, titles, diffs. Controls,
 * bidirectional and default-ignorable characters, unusual spaces and line separators
 * become `<U+202E>`, and so do letters that would take the next character into their
 * cluster; a long run of blanks, which pushes the text after it out of view, becomes
 * `<5000 spaces>`. Newlines, tabs and emoji sequences of Unicode's RGI list stay.
 * lib/serve/page/text/invisible-characters.js does the same in browsers.
 */

/** Runs of at least this many blanks are counted instead of shown. No indent is this deep. */
const minBlanks = 80;

/** Spaces other than U+0020, and two blank characters (U+2800, U+1D159) outside the format category. */
const blankLetters = String.raw`\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000\u2800\u{1d159}`;
/**
 * Letters that Unicode puts into one cluster with the character after them, whatever it is
 * (Grapheme_Cluster_Break=Prepend), and the block of their script. Browsers do not break a
 * cluster, so a run of them would push that character out of view. Before a letter of their
 * script they are part of a word and stay. Those of the format category are marked anyway.
 */
const prepended = [
  ["\\u0d4e", "\\u0d00-\\u0d7f"],
  ["\\u{111c2}\\u{111c3}", "\\u{11180}-\\u{111df}"],
  ["\\u{113d1}", "\\u{11380}-\\u{113ff}"],
  ["\\u{1193f}\\u{11941}", "\\u{11900}-\\u{1195f}"],
  ["\\u{11a3a}", "\\u{11a00}-\\u{11a4f}"],
  ["\\u{11a84}-\\u{11a89}", "\\u{11a50}-\\u{11aaf}"],
  ["\\u{11d46}", "\\u{11d00}-\\u{11d5f}"],
  ["\\u{11f02}", "\\u{11f00}-\\u{11f5f}"],
]
  .map(([letters, block]) => `[${letters}](?!(?=\\p{L})[${block}](?<![${letters}]))`)
  .join("|");
const hidden = String.raw`[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f${blankLetters}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}]|\r(?!\n)|(?<![ \t])[ \t]{${minBlanks},}|${prepended}`;
/** Characters that continue an emoji: variation selector, joiner, skin tones, flag tags. */
const continuing = String.raw`\ufe0f\u200d\u{1f3fb}-\u{1f3ff}\u{e0020}-\u{e007f}`;
const emoji = String.raw`\p{Extended_Pictographic}[${continuing}]{1,8}(?:(?<=\u200d)\p{Extended_Pictographic}[${continuing}]{0,3}){0,8}|[\d#*]\ufe0f\u20e3`;

const anyHidden = new RegExp(hidden, "u");
const everyHidden = new RegExp(hidden, "gu");
const hiddenOrEmoji = new RegExp(`${emoji}|${hidden}`, "gu");
/** Compiled when the first emoji sequence is met, because Unicode's lists are long. */
let listed: { readonly joined: RegExp; readonly tagged: RegExp; readonly plain: RegExp } | undefined;

/** The text with a mark in place of each invisible character. */
export function markInvisible(text: string): string {
  if (!anyHidden.test(text)) return text;
  return text.replaceAll(hiddenOrEmoji, (found) => {
    if (found.length === 1 || found.length >= minBlanks) return markOf(found);
    return isListedEmoji(found) ? found : found.replaceAll(everyHidden, markOf);
  });
}

/** A code point as `<U+202E>`. */
export function codePointMark(codePoint: number): string {
  return `<U+${codePoint.toString(16).toUpperCase().padStart(4, "0")}>`;
}

/** Whether this is a sequence of Unicode's RGI lists, or an emoji without invisible characters. */
function isListedEmoji(found: string): boolean {
  if (found.endsWith("\u20e3") || !anyHidden.test(found)) return true;
  listed ??= {
    joined: new RegExp(String.raw`^\p{RGI_Emoji_ZWJ_Sequence}$`, "v"),
    tagged: new RegExp(String.raw`^\p{RGI_Emoji_Tag_Sequence}$`, "v"),
    plain: new RegExp(String.raw`^\p{Basic_Emoji}$`, "v"),
  };
  if (found.includes("\u200d")) return listed.joined.test(found);
  return (found.includes("\u{e007f}") ? listed.tagged : listed.plain).test(found);
}

function markOf(found: string): string {
  return found.length >= minBlanks ? `<${found.length} spaces>` : codePointMark(found.codePointAt(0) ?? 0);
}
