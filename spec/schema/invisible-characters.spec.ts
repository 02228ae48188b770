/**
 * Specs of marking invisible characters, in Node and in the browser version.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { codePointMark, markInvisible } from "../../lib/schema/index.ts";
import { isExhaustive } from "../support/exhaustive.ts";
import { processorMs } from "../support/growth.ts";

/** The browser version, loaded without types as a browser loads it. */
const page = new URL("../../lib/serve/page/text/invisible-characters.js", import.meta.url).href;
const { markInvisible: markInPage }: { markInvisible: (text: string) => string } = await import(page);

const lastCodePoint = 0x10ffff;

/** The letters of Unicode 16 with Grapheme_Cluster_Break=Prepend. */
const prepending = [
  0x0d4e, 0x111c2, 0x111c3, 0x113d1, 0x1193f, 0x11941, 0x11a3a, 0x11a84, 0x11a85, 0x11a86, 0x11a87, 0x11a88, 0x11a89,
  0x11d46, 0x11f02,
];

/** Large areas whose characters are alike: ideographs, Hangul, surrogates, private use, and nothing at all. */
const alike = [
  [0x3400, 0xa000],
  [0xac00, 0xf900],
  [0x20000, 0xe0000],
  [0xe1000, lastCodePoint + 1],
] as const;
/** The first code points of the blocks of 16 that are tried: of the large areas one in 64, of the rest all. */
const blocks = Array.from({ length: (lastCodePoint + 1) / 16 }, (_, i) => i * 16).filter(
  (code) => isExhaustive || (code / 16) % 64 === 63 || !alike.some(([from, to]) => code >= from && code < to),
);
const tried = blocks.flatMap((code) => Array.from({ length: 16 }, (_, i) => code + i));

/** Code points that stay unchanged, as ranges that are easy to compare. */
function kept(): ReadonlySet<number> {
  const all = new Set<number>();
  for (const code of tried) {
    const character = String.fromCodePoint(code);
    if (markInvisible(`a${character}b`) === `a${character}b`) all.add(code);
  }
  return all;
}

describe("markInvisible", () => {
  it("markInvisible marks each character that hides or disguises text by its code point", () => {
    const hidden = [
      0x00, 0x08, 0x0b, 0x0c, 0x0d, 0x1b, 0x1f, 0x7f, 0x80, 0x85, 0x9b, 0x9f, 0xa0, 0xad, 0x34f, 0x61c, 0x115f, 0x1160,
      0x1680, 0x17b4, 0x17b5, 0x180b, 0x180e, 0x180f, 0x2000, 0x200a, 0x200b, 0x200c, 0x200d, 0x200e, 0x200f, 0x2028,
      0x2029, 0x202a, 0x202e, 0x202f, 0x205f, 0x2060, 0x2064, 0x2066, 0x2069, 0x206f, 0x2800, 0x3000, 0x3164, 0xfe00,
      0xfe0e, 0xfe0f, 0xfeff, 0xffa0, 0xfff9, 0xfffb, 0xffff, 0xd800, 0xdfff, 0x1bca0, 0x1d159, 0x1d173, 0xe0000,
      0xe0001, 0xe0041, 0xe007f, 0xe0100, 0xe01ef, 0xe0fff,
    ];
    for (const code of hidden)
      assert.equal(markInvisible(`a${String.fromCodePoint(code)}b`), `a${codePointMark(code)}b`, codePointMark(code));
    assert.equal(codePointMark(0x202e), "<U+202E>");
    assert.equal(codePointMark(0xe0041), "<U+E0041>");
  });

  it("markInvisible keeps letters, marks, digits, symbols and emoji of every script, newlines and tabs", () => {
    const text = "\ta\r\nCrème brûlée, 漢字, हिन्दी, עברית, العربية, ไทย, Ελλάδα, e\u0301, 👍🏽, 🇳🇱, €, ✓\n";
    assert.equal(markInvisible(text), text);
  });

  it("markInvisible keeps emoji sequences that are drawn as one glyph and marks superfluous invisible characters", () => {
    const sequences = "❤️ ✔️ 1️⃣ 👩‍👩‍👧‍👦 👩‍❤️‍👩 🏳️‍🌈 🏴󠁧󠁢󠁥󠁮󠁧󠁿 👩🏽‍🚀";
    assert.equal(markInvisible(sequences), sequences);
    assert.equal(markInvisible("😀\ufe0f"), "😀<U+FE0F>");
    assert.equal(markInvisible("a\ufe0f 1\ufe0f"), "a<U+FE0F> 1<U+FE0F>");
    assert.equal(markInvisible("😀\u200d😀"), "😀<U+200D>😀");
    assert.equal(markInvisible("🏴\u{e0072}\u{e006d}\u{e007f}"), "🏴<U+E0072><U+E006D><U+E007F>");
    assert.equal(markInvisible("❤️\u200d\u202e"), "❤<U+FE0F><U+200D><U+202E>");
  });

  it("markInvisible marks prepending letters that hold the next character in their cluster, unless it is a letter of their script", () => {
    const run = "\u0d4e".repeat(400);
    assert.equal(markInvisible(`echo ${run}; rm`), `echo ${"<U+0D4E>".repeat(400)}; rm`);
    for (const code of prepending) {
      const letter = String.fromCodePoint(code);
      const mark = codePointMark(code);
      for (const next of [";", "|", " ", "\n", "a", "1", "漢", "\u0301", ""])
        assert.equal(markInvisible(`x ${letter}${next}`), `x ${mark}${next}`, `${mark} and ${JSON.stringify(next)}`);
      assert.equal(markInvisible(`${letter}${letter}`), `${mark}${mark}`);
    }
    // The Malayalam dot reph in "kāryyam", and the Sharada jihvamuliya before ka.
    for (const word of ["കാൎയ്യം", "വൎഷം", "\u{11183}\u{111c2}\u{11191}"]) assert.equal(markInvisible(word), word);
    assert.equal(markInvisible("\u0d4e\u0d4eക"), "<U+0D4E>\u0d4eക");
    assert.equal(markInvisible("\u0d4e\u{11191}\u{111c2}ക"), "<U+0D4E>\u{11191}<U+111C2>ക");
  });

  it("markInvisible leaves no ASCII character in a cluster that begins with another character", () => {
    const clusters = new Intl.Segmenter("en", { granularity: "grapheme" });
    for (const code of tried) {
      if (code < 0x80) continue;
      const text = markInvisible(`${String.fromCodePoint(code).repeat(3)};`);
      const last = clusters.segment(text).containing(text.length - 1)?.segment;
      assert.equal(last, ";", `${codePointMark(code)} and a semicolon are one cluster`);
    }
  });

  it("markInvisible counts blanks that would push the rest of the text out of view", () => {
    assert.equal(markInvisible(`a${" ".repeat(79)}b`), `a${" ".repeat(79)}b`);
    assert.equal(markInvisible(`a${" ".repeat(80)}b`), "a<80 spaces>b");
    assert.equal(markInvisible(`a${"\t ".repeat(2500)}b`), "a<5000 spaces>b");
  });

  it("markInvisible marks a carriage return that is not part of a line ending", () => {
    assert.equal(markInvisible("rm -rf ~\rls\r\n"), "rm -rf ~<U+000D>ls\r\n");
  });

  it("markInvisible marks every default-ignorable, format, control and separator character of Unicode", () => {
    const shown = kept();
    const never = /[\p{Cc}\p{Cf}\p{Cs}\p{Z}\p{Default_Ignorable_Code_Point}\p{Variation_Selector}\p{Bidi_Control}]/u;
    const allowed = new Set([0x09, 0x0a, 0x20]);
    for (const code of shown)
      assert.ok(allowed.has(code) || !never.test(String.fromCodePoint(code)), `${codePointMark(code)} is not marked`);
    for (const code of allowed) assert.ok(shown.has(code));
  });

  it("markInvisible takes time in proportion to the text", () => {
    const texts = [" ".repeat(79) + "x", "😀\ufe0f", "\u202e", "\r", "👩\u200d", "👩\u200d❤", "\u0d4e", "\u0d4eക"].map(
      (part) => part.repeat(Math.ceil(200_000 / part.length)),
    );
    for (const text of texts) {
      const startMs = processorMs();
      markInvisible(text);
      assert.ok(processorMs() - startMs < 5000, JSON.stringify(text.slice(0, 4)));
    }
  });

  it("markInvisible gives the same result in the browser version, for every character and beside emoji", () => {
    for (const code of blocks) {
      const characters = Array.from({ length: 16 }, (_, i) => String.fromCodePoint(code + i));
      const text = characters.map((one) => `a${one}b👩${one}👩❤${one}1${one}\u20e3${one}${one}\u0d4e${one}`).join("\n");
      assert.equal(markInPage(text), markInvisible(text), `${codePointMark(code)} and the 15 after it`);
    }
    for (const text of [" ".repeat(80), "a\r\nb\rc", "👩‍❤️‍👩 🏴󠁧󠁢󠁥󠁮󠁧󠁿 \u202e\ud800", "\t".repeat(100)])
      assert.equal(markInPage(text), markInvisible(text));
  });
});
