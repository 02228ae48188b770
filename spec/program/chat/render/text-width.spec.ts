/**
 * Text width in terminal columns, cutting and wrapping.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { textStyle } from "../../../../lib/program/ansi.ts";
import { chop, cut, widthOf, wrap } from "../../../../lib/program/chat/render/text-width.ts";
import { spelled } from "../../../support/program/chat/themes.ts";

const { bold, green } = textStyle(true);
const words = "The bowline ties a loop that does not slip, 漢字も入る, e\u0301 and 👍🏽 too, averyveryverylongword";

describe("widthOf", () => {
  it("letters count one column, wide ones two, combining marks none", () => {
    const widths = [
      ["abc", 3],
      ["漢字", 4],
      ["한글", 4],
      ["ｶﾅ", 2],
      ["Ａ", 2],
      ["e\u0301", 1],
      ["👍", 2],
      ["é", 1],
    ] as const;
    for (const [text, width] of widths) assert.equal(widthOf(text), width, text);
  });

  it("escape sequences for styles count as no columns", () => {
    assert.equal(widthOf(bold(green("knot"))), 4);
  });

  it("where terminals disagree the larger width is counted", () => {
    for (const text of ["👩‍👩‍👧‍👦", "❤️", "🇳🇱", "☀️"]) assert.ok(widthOf(text) >= 2, text);
  });
});

describe("wrap", () => {
  it("wrap breaks between words and indents the following lines", () => {
    assert.deepEqual(wrap("one two three four", 9, "  "), ["one two", "  three", "  four"]);
  });

  it("wrap keeps spaces at the start and between words", () => {
    assert.deepEqual(wrap("    code  here", 40), ["    code  here"]);
    assert.deepEqual(wrap("", 10), [""]);
  });

  it("wrap ends a style at the end of a line and begins it again on the next", () => {
    assert.equal(spelled(wrap(bold("one two"), 4).join("|")), "<b>one</>|<b>two</>");
    assert.equal(spelled(wrap(`${green("one")} two`, 4).join("|")), "<green>one</c>|two");
  });

  it("wrap gives no line wider than asked, and loses no letter, at any width", () => {
    const styled = fc.constantFrom(words, bold(words), `a ${green(words)} b`, `${bold("漢".repeat(30))}x`);
    fc.assert(
      fc.property(styled, fc.integer({ min: 4, max: 70 }), fc.constantFrom("", "  "), (text, columns, hang) => {
        const lines = wrap(text, columns, hang);
        for (const line of lines) assert.ok(widthOf(line) <= columns, `${columns}: ${line}`);
        // oxlint-disable-next-line no-control-regex
        const letters = (all: string): string => all.replaceAll(/\x1b\[\d+m|\s/g, "");
        assert.equal(letters(lines.join("")), letters(text));
      }),
    );
  });
});

describe("chop", () => {
  it("chop cuts at a width, never within a character", () => {
    assert.deepEqual(chop("漢字漢字", 3), ["漢", "字", "漢", "字"]);
    assert.deepEqual(chop("👍👍", 3), ["👍", "👍"]);
    assert.deepEqual(chop("abcdef", 2, 3), ["ab", "cde", "f"]);
  });
});

describe("cut", () => {
  it("cut marks where text is missing, within the width", () => {
    assert.equal(cut("bowline", 7), "bowline");
    assert.equal(cut("bowlines", 7), "bowlin…");
    assert.ok(widthOf(cut("漢字漢字漢字", 7)) <= 7);
  });
});
