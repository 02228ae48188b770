/**
 * Replaces characters that a user could not see, or would mistake for others, by marks.
 *
 * For text that a user decides about, such as a command to allow. Same function as
 * lib/schema/invisible-characters.ts, which explains it;
 * spec/schema/invisible-characters.spec.ts compares both for every character. Also part
 * of the inspector's page.
 */

const minBlanks = 80;
const blankLetters = String.raw`\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000\u2800\u{1d159}`;
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
const continuing = String.raw`\ufe0f\u200d\u{1f3fb}-\u{1f3ff}\u{e0020}-\u{e007f}`;
const emoji = String.raw`\p{Extended_Pictographic}[${continuing}]{1,8}(?:(?<=\u200d)\p{Extended_Pictographic}[${continuing}]{0,3}){0,8}|[\d#*]\ufe0f\u20e3`;

const anyHidden = new RegExp(hidden, "u");
const everyHidden = new RegExp(hidden, "gu");
const hiddenOrEmoji = new RegExp(`${emoji}|${hidden}`, "gu");
/** @type {{ joined: RegExp, tagged: RegExp, plain: RegExp } | undefined} */
let listed;

/** The text with a mark in place of each invisible character. @param {string} text @returns {string} */
export function markInvisible(text) {
  if (!anyHidden.test(text)) return text;
  return text.replaceAll(hiddenOrEmoji, (found) => {
    if (found.length === 1 || found.length >= minBlanks) return markOf(found);
    return isListedEmoji(found) ? found : found.replaceAll(everyHidden, markOf);
  });
}

/** @param {string} found */
function isListedEmoji(found) {
  if (found.endsWith("\u20e3") || !anyHidden.test(found)) return true;
  listed ??= readList();
  if (found.includes("\u200d")) return listed.joined.test(found);
  return (found.includes("\u{e007f}") ? listed.tagged : listed.plain).test(found);
}

/** Browsers from before 2023 lack the emoji list; there every sequence is marked. */
function readList() {
  const listOf = (/** @type {string} */ name) => {
    try {
      return new RegExp(`^\\p{${name}}$`, "v");
    } catch {
      return /(?!)/;
    }
  };
  return {
    joined: listOf("RGI_Emoji_ZWJ_Sequence"),
    tagged: listOf("RGI_Emoji_Tag_Sequence"),
    plain: listOf("Basic_Emoji"),
  };
}

/** @param {string} found */
function markOf(found) {
  if (found.length >= minBlanks) return `<${found.length} spaces>`;
  return `<U+${(found.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}>`;
}
