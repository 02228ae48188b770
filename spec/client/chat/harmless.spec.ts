/**
 * Harmless: nothing an agent sends can do something to the terminal.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { harmless, harmlessLine, harmlessOutput } from "../../../lib/client/chat/harmless.ts";
import { hostileTexts, obeyed } from "./support/hostile-texts.ts";

describe("harmless", () => {
  it("leaves nothing that a terminal would obey", () => {
    for (const text of hostileTexts) {
      for (const make of [harmless, harmlessLine, harmlessOutput]) assert.doesNotMatch(make(text), obeyed, text);
    }
  });

  it("holds for any text at all", () => {
    const units = fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 40 });
    fc.assert(
      fc.property(units, (codes) => {
        const text = String.fromCharCode(...codes);
        for (const make of [harmless, harmlessLine, harmlessOutput]) assert.doesNotMatch(make(text), obeyed);
      }),
      { numRuns: 500 },
    );
  });

  it("shows that something was there", () => {
    assert.equal(harmless("a\x1b]52;c;eA==\x07b"), "a␛]52;c;eA==␇b");
    assert.equal(harmless("x\x7fy\x9bz\u202ew"), "x␡y�z�w");
  });

  it("hides nothing behind a carriage return", () => {
    assert.equal(harmless("rm -rf ~\rls"), "rm -rf ~\nls");
    assert.equal(harmlessLine("rm -rf ~\rls"), "rm -rf ~ ls");
    assert.equal(harmless("one\r\ntwo"), "one\ntwo");
  });

  it("keeps every letter of every script, and emoji", () => {
    const text = "Crème brûlée, 漢字, हिन्दी, עברית, 👩‍👩‍👧‍👦, 🇳🇱, e\u0301";
    assert.equal(harmless(text), text);
  });
});

describe("harmlessOutput", () => {
  it("drops colours, links and movements, which are no news", () => {
    assert.equal(
      harmlessOutput("\x1b[1;32mok\x1b[0m \x1b[2K\x1b]8;;https://example.com\x07link\x1b]8;;\x1b\\"),
      "ok link",
    );
  });
});
