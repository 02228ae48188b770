/**
 * Harmless: nothing an agent sends can do something to the terminal.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import {
  sanitize,
  sanitizeLine,
  sanitizeOutput,
  visible,
  visibleLine,
} from "../../../../lib/program/chat/render/sanitize.ts";
import { hostileTexts, obeyed } from "../../../support/program/chat/hostile-texts.ts";

describe("harmless", () => {
  it("leaves nothing that a terminal would obey", () => {
    for (const text of hostileTexts) {
      for (const make of [sanitize, sanitizeLine, sanitizeOutput, visible, visibleLine])
        assert.doesNotMatch(make(text), obeyed, text);
    }
  });

  it("holds for any text at all", () => {
    const units = fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 40 });
    fc.assert(
      fc.property(units, (codes) => {
        const text = String.fromCharCode(...codes);
        for (const make of [sanitize, sanitizeLine, sanitizeOutput, visible, visibleLine])
          assert.doesNotMatch(make(text), obeyed);
      }),
      { numRuns: 500 },
    );
  });

  it("shows that something was there", () => {
    assert.equal(sanitize("a\x1b]52;c;eA==\x07b"), "a<U+001B>]52;c;eA==<U+0007>b");
    assert.equal(sanitize("x\x7fy\x9bz\u202ew"), "x<U+007F>y<U+009B>z<U+202E>w");
  });

  it("hides nothing behind a carriage return", () => {
    assert.equal(sanitize("rm -rf ~\rls"), "rm -rf ~\nls");
    assert.equal(sanitizeLine("rm -rf ~\rls"), "rm -rf ~ ls");
    assert.equal(sanitize("one\r\ntwo"), "one\ntwo");
  });

  it("keeps every letter of every script, and emoji", () => {
    const text = "Crème brûlée, 漢字, हिन्दी, עברית, 👩‍👩‍👧‍👦, 🇳🇱, e\u0301";
    assert.equal(sanitize(text), text);
  });
});

describe("harmlessOutput", () => {
  it("drops colours, links and movements, which are no news", () => {
    assert.equal(
      sanitizeOutput("\x1b[1;32mok\x1b[0m \x1b[2K\x1b]8;;https://example.com\x07link\x1b]8;;\x1b\\"),
      "ok link",
    );
  });
});

describe("visible", () => {
  it("shows what prose may hold but nobody can see in a command", () => {
    assert.equal(visible("so\u00adft\u00a0x"), "so<U+00AD>ft<U+00A0>x");
    assert.equal(visibleLine(" two\u3000words\n and\ttabs"), "two<U+3000>words and tabs");
  });

  it("hides nothing behind a carriage return, and keeps the line ends of a file", () => {
    assert.equal(visible("rm -rf ~\rls\r\nnext"), "rm -rf ~<U+000D>ls\nnext");
  });
});
