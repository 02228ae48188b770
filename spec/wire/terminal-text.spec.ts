/**
 * Which characters of other programs' text are printed as escapes.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { escapeControls } from "../../lib/wire/index.ts";

describe("escapeControls", () => {
  it("every character that Unicode says to ignore in display is escaped, with the Hangul fillers", () => {
    for (const codePoint of [0xad, 0x34f, 0x115f, 0x1160, 0x17b4, 0x180b, 0x200b, 0x200c, 0x200d, 0x2064, 0x3164]) {
      const escape = `\\u${codePoint.toString(16).padStart(4, "0")}`;
      assert.equal(escapeControls(`a${String.fromCodePoint(codePoint)}b`), `a${escape}b`);
    }
    for (const codePoint of [0xfe0f, 0xfeff, 0xffa0, 0xfff0, 0xfffb, 0x2028, 0x202e, 0x9b]) {
      assert.match(escapeControls(`a${String.fromCodePoint(codePoint)}b`), /^a\\u[0-9a-f]{4}b$/);
    }
    for (const codePoint of [0x1bca0, 0x1d173, 0xe0001, 0xe0020, 0xe0100]) {
      assert.match(escapeControls(`a${String.fromCodePoint(codePoint)}b`), /^a(?:\\u[0-9a-f]{4}){2}b$/);
    }
  });

  it("an emoji keeps its joiners and its variation selector, and nothing else does", () => {
    for (const text of ["👩‍👩‍👧‍👦", "❤️", "🏳️‍🌈", "👩🏽‍💻", "1️⃣", "e\u0301", "한글 漢字 हिन्दी\t\n"]) {
      assert.equal(escapeControls(text), text);
    }
    assert.equal(escapeControls("👩\u200drm"), "👩\\u200drm");
    assert.equal(escapeControls("1\ufe0f2"), "1\\ufe0f2");
    assert.equal(escapeControls("👩\u200d\u200d👩"), "👩\\u200d\\u200d👩");
  });

  it("escaped JSON has the same value", () => {
    const value = { text: "a\u3164b\u00ad\u{e0041}\u202e👩‍💻" };
    const escaped = escapeControls(JSON.stringify(value));
    assert.deepEqual(JSON.parse(escaped), value);
    assert.doesNotMatch(escaped, /[\u3164\u00ad\u202e]/);
  });
});
