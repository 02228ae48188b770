/**
 * Text of an agent cannot control the terminal.
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

describe("sanitize", () => {
  it("sanitized text has no escape sequences", () => {
    for (const text of hostileTexts) {
      for (const make of [sanitize, sanitizeLine, sanitizeOutput, visible, visibleLine])
        assert.doesNotMatch(make(text), obeyed, text);
    }
  });

  it("no text keeps a control character", () => {
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

  it("a removed character leaves a mark", () => {
    assert.equal(sanitize("a\x1b]52;c;eA==\x07b"), "a<U+001B>]52;c;eA==<U+0007>b");
    assert.equal(sanitize("x\x7fy\x9bz\u202ew"), "x<U+007F>y<U+009B>z<U+202E>w");
    assert.equal(sanitize("a\u3164b\u00adc\u200dd\u115fe"), "a<U+3164>b<U+00AD>c<U+200D>d<U+115F>e");
    assert.equal(sanitize("\ud800"), "<U+D800>");
  });

  it("a carriage return hides no text", () => {
    assert.equal(sanitize("rm -rf ~\rls"), "rm -rf ~\nls");
    assert.equal(sanitizeLine("rm -rf ~\rls"), "rm -rf ~ ls");
    assert.equal(sanitize("one\r\ntwo"), "one\ntwo");
  });

  it("letters of every script and emoji are kept", () => {
    const text = "Crème brûlée, 漢字, हिन्दी, עברית, 👩‍👩‍👧‍👦, 🇳🇱, e\u0301";
    assert.equal(sanitize(text), text);
  });
});

describe("sanitizeOutput", () => {
  it("colours, links and cursor movements of a command's output are removed without a mark", () => {
    assert.equal(
      sanitizeOutput("\x1b[1;32mok\x1b[0m \x1b[2K\x1b]8;;https://example.com\x07link\x1b]8;;\x1b\\"),
      "ok link",
    );
  });
});

describe("visible", () => {
  it("characters that cannot be seen are marked in text of a permission request", () => {
    assert.equal(visible("so\u00adft\u00a0x"), "so<U+00AD>ft<U+00A0>x");
    assert.equal(visible("echo \u0d4e\u0d4e; rm"), "echo <U+0D4E><U+0D4E>; rm");
    assert.equal(visibleLine(" two\u3000words\n and\ttabs"), "two<U+3000>words and tabs");
  });

  it("in text of a permission request a carriage return hides nothing, and line ends are kept", () => {
    assert.equal(visible("rm -rf ~\rls\r\nnext"), "rm -rf ~<U+000D>ls\nnext");
  });
});
