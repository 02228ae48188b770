/**
 * The line editor: what each key does to a draft.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import {
  continued,
  type Draft,
  draftOf,
  edited,
  emptyDraft,
  type Key,
  maxDraftChars,
} from "../../../../lib/program/chat/input/line-editor.ts";

const past = ["first", "second\nof two"];

/** Parses key names: `C-a`, `left`, and letters as themselves. */
function keyNamed(name: string): Key {
  const [, ctrl, meta, bare = ""] = /^(C-)?(M-)?(.+)$/s.exec(name) ?? [];
  const isLetter = /^(?:.|.*[^a-z0-9-].*)$/su.test(bare) && ctrl === undefined && meta === undefined;
  return { name: bare, ctrl: ctrl !== undefined, meta: meta !== undefined, sequence: isLetter ? bare : "\x1b[" };
}

function pressed(draft: Draft, ...names: readonly string[]): Draft {
  return names.reduce((now, name) => edited(now, keyNamed(name), past), draft);
}

/** The text with a bar where the cursor is. */
function shown({ text, at }: Draft): string {
  return `${text.slice(0, at)}|${text.slice(at)}`;
}

describe("edited", () => {
  it("keys insert, move and delete by grapheme clusters", () => {
    const typed = pressed(emptyDraft, "a", "é", "漢", "👍🏽");
    assert.equal(shown(typed), "aé漢👍🏽|");
    assert.equal(shown(pressed(typed, "left")), "aé漢|👍🏽");
    assert.equal(shown(pressed(typed, "backspace", "backspace")), "aé|");
    assert.equal(shown(pressed(draftOf("e\u0301"), "backspace")), "|");
    assert.equal(shown(pressed(typed, "home", "delete", "right", "x")), "éx|漢👍🏽");
  });

  it("keys move and delete by words and lines", () => {
    const draft = draftOf("tie the knot");
    assert.equal(shown(pressed(draft, "C-w")), "tie the |");
    assert.equal(shown(pressed(draft, "M-b", "M-b")), "tie |the knot");
    assert.equal(shown(pressed(draft, "C-a", "M-f")), "tie| the knot");
    assert.equal(shown(pressed(draft, "C-u")), "|");
    assert.equal(shown(pressed(draft, "C-u", "x", "C-y")), "xtie the knot|");
    assert.equal(shown(pressed(draft, "C-a", "C-k", "C-y", "C-y")), "tie the knottie the knot|");
    assert.equal(shown(pressed(draftOf("one\ntwo"), "C-a", "C-k")), "one\n|");
  });

  it("Up and Down move within the draft, and beyond it through the history", () => {
    const draft = draftOf("one\ntwo three");
    assert.equal(shown(pressed(draft, "up")), "one|\ntwo three");
    assert.equal(shown(pressed(draft, "up", "up")), "second\nof two|");
    assert.equal(shown(pressed(draftOf("new"), "up", "up", "up")), "first|");
    assert.equal(shown(pressed(draftOf("new"), "up", "up", "up", "up")), "first|", "there is no more");
    assert.equal(shown(pressed(draftOf("new"), "up", "down")), "new|");
    assert.equal(shown(pressed(draftOf("new"), "down")), "new|");
  });

  it("Alt-Enter, Ctrl-J and a backslash before Enter begin a new line", () => {
    for (const key of ["enter", "M-return", "C-j"]) assert.equal(shown(pressed(draftOf("a"), key)), "a\n|");
    assert.equal(shown(continued(draftOf("a\\")) ?? emptyDraft), "a\n|");
    assert.equal(continued(draftOf("a")), undefined);
  });

  it("pasted text is inserted unchanged, newlines included", () => {
    const paste = (text: string): Draft => {
      const start = edited(emptyDraft, { name: "paste-start", sequence: "\x1b[200~" }, []);
      const inside = text
        .split("")
        .reduce((now, one) => edited(now, { name: one === "\r" ? "return" : one, sequence: one }, []), start);
      return edited(inside, { name: "paste-end", sequence: "\x1b[201~" }, []);
    };
    assert.equal(shown(paste("one\rtwo\tthree")), "one\ntwo\tthree|");
    assert.equal(paste("x").isPasting, false);
  });

  it("unknown keys change nothing", () => {
    for (const name of ["f1", "C-x", "M-q", "pageup", "insert"]) assert.equal(pressed(draftOf("a"), name).text, "a");
    assert.equal(edited(draftOf("a"), { sequence: "\x07" }, []).text, "a");
  });

  it("for any keys the cursor stays within the text and the text within its limit", () => {
    const names = fc.constantFrom(
      "a",
      "漢",
      "left",
      "right",
      "up",
      "down",
      "C-w",
      "C-u",
      "C-k",
      "C-y",
      "enter",
      "backspace",
      "delete",
      "M-b",
      "M-f",
      "home",
      "end",
      "C-p",
      "C-n",
    );
    fc.assert(
      fc.property(fc.array(names, { maxLength: 60 }), (keys) => {
        const { at, text } = pressed(emptyDraft, ...keys);
        assert.ok(at >= 0 && at <= text.length);
      }),
    );
    const full = draftOf("x".repeat(maxDraftChars));
    assert.equal(pressed(full, "y").text.length, maxDraftChars);
  });
});
