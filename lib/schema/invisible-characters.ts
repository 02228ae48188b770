/**
 * Makes characters visible that a person could not see, or would take for others.
 *
 * For text a person decides about: commands, paths, titles, diffs. Marks controls,
 * bidirectional overrides and isolates, zero-width and other default-ignorable
 * characters, unusual spaces and line separators as `<U+202E>`, and a long run of
 * blanks, which pushes what follows out of sight, as `<5000 spaces>`. Newlines and
 * tabs stay. An emoji sequence of Unicode's own list (RGI) stays, because it is drawn
 * as one glyph. lib/serve/page/invisible-characters.js does the same in browsers.
 */

/** So many blanks in a row are counted instead of shown. Deeper than any indent. */
const minBlanks = 80;

/** Spaces but U+0020, and two characters that are drawn as nothing but are no format characters. */
const blankLetters = String.raw`\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000\u2800\u{1d159}`;
const hidden = String.raw`[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f${blankLetters}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}]|\r(?!\n)|(?<![ \t])[ \t]{${minBlanks},}`;
/** What an emoji is continued with: selector, joiner, skin tones, the tags of flags. No sequence is longer than this. */
const continuing = String.raw`\ufe0f\u200d\u{1f3fb}-\u{1f3ff}\u{e0020}-\u{e007f}`;
const emoji = String.raw`\p{Extended_Pictographic}[${continuing}]{1,8}(?:(?<=\u200d)\p{Extended_Pictographic}[${continuing}]{0,3}){0,8}|[\d#*]\ufe0f\u20e3`;

const anyHidden = new RegExp(hidden, "u");
const everyHidden = new RegExp(hidden, "gu");
const hiddenOrEmoji = new RegExp(`${emoji}|${hidden}`, "gu");
/** Made when an emoji sequence is first seen: Unicode's list is long. */
let listed: { readonly joined: RegExp; readonly tagged: RegExp; readonly plain: RegExp } | undefined;

/** The text with a mark in place of each character that cannot be seen. */
export function markInvisible(text: string): string {
  if (!anyHidden.test(text)) return text;
  return text.replaceAll(hiddenOrEmoji, (found) => {
    if (found.length === 1 || found.length >= minBlanks) return markOf(found);
    return isListedEmoji(found) ? found : found.replaceAll(everyHidden, markOf);
  });
}

/** `<U+202E>`. */
export function codePointMark(codePoint: number): string {
  return `<U+${codePoint.toString(16).toUpperCase().padStart(4, "0")}>`;
}

/** A sequence of Unicode's list, or an emoji without anything hidden in it. */
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
