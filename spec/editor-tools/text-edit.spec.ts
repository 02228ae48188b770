/**
 * Text edits: what they change, and what stays byte for byte.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { changeBetween, editText, linesOf, rewriteText, shownText } from "../../lib/editor-tools/text-edit.ts";

function edited(raw: string, oldText: string, newText: string, isEverywhere = false): string {
  const result = editText(raw, { oldText, newText, isEverywhere });
  return result.kind === "edited" ? result.text : `refused: ${result.why}`;
}

describe("editText", () => {
  it("an edit keeps line endings, a byte order mark and a missing last newline", () => {
    assert.equal(edited("a\r\nb\r\nc", "b\n", "x\ny\n"), "a\r\nx\r\ny\r\nc");
    assert.equal(edited("\uFEFFfirst\nlast", "first", "one"), "\uFEFFone\nlast");
    assert.equal(edited("\uFEFFa\r\nb\r\n", "a\nb", "c"), "\uFEFFc\r\n");
    assert.equal(edited("a\nb", "b", "c"), "a\nc");
  });

  it("an edit does not change the line endings of other lines", () => {
    assert.equal(edited("a\r\nb\nc\r\nd\r\n", "c", "x"), "a\r\nb\nx\r\nd\r\n");
    assert.equal(edited("a\nb\r\nc\nd\n", "b\nc", "x\ny"), "a\nx\ny\nd\n");
  });

  it("an edit without replace_all is refused when the text occurs twice", () => {
    assert.match(edited("a a", "a", "b"), /^refused: Found 2 matches .*replace_all/);
    assert.equal(edited("a a", "a", "b", true), "b b");
    assert.equal(edited("aaa", "aa", "b", true), "ba");
    assert.match(edited("a", "x", "y"), /^refused: String to replace not found in file\.\nString: x$/);
    assert.match(edited("a", "a", "a"), /^refused: No changes to make/);
  });

  it("deleting a whole line leaves no empty line", () => {
    assert.equal(edited("a\nb\nc\n", "b", ""), "a\nc\n");
    assert.equal(edited("a\r\nb\r\nc\r\n", "b", ""), "a\r\nc\r\n");
    assert.equal(edited("a bc\n", "b", ""), "a c\n");
  });

  it("deleting a part of a line joins no lines", () => {
    assert.equal(edited("one two\nthree\n", "two", ""), "one \nthree\n");
    assert.equal(edited("a two\ntwo\ntwo b\n", "two", "", true), "a \n b\n");
  });

  it("straight quotes match curly quotes in the file", () => {
    assert.equal(edited("say \u201Chi\u201D now", 'say "hi"', "say nothing"), "say nothing now");
  });

  it("an edit of the raw text has the same effect as an edit of the shown text, for any text", () => {
    const text = fc
      .array(fc.constantFrom("a", "b", "\n", "\r\n", "\u{1F600}"), { maxLength: 30 })
      .map((all) => all.join(""));
    fc.assert(
      fc.property(text, text, (raw, newText) => {
        const result = editText(raw, { oldText: "a\nb", newText, isEverywhere: true });
        if (result.kind === "refused") return;
        // Deleting a whole line also deletes its newline.
        const wanted = newText === "" ? /(?<=^|\n)a\nb\n|a\nb/g : /a\nb/g;
        assert.equal(
          shownText(result.text),
          shownText(raw).replaceAll(wanted, () => shownText(newText)),
        );
      }),
    );
  });
});

describe("rewriteText", () => {
  it("overwriting a file keeps its byte order mark and its line endings", () => {
    assert.equal(rewriteText("\uFEFFa\r\nb\r\n", "x\ny\n"), "\uFEFFx\r\ny\r\n");
    assert.equal(rewriteText("a\n", "x\r\n"), "x\r\n");
  });
});

describe("changeBetween", () => {
  it("changeBetween returns the one range that differs", () => {
    assert.deepEqual(changeBetween("abcd", "abXd"), [{ start: 2, end: 3, text: "X" }]);
    assert.deepEqual(changeBetween("aa", "aaa"), [{ start: 2, end: 2, text: "a" }]);
    assert.deepEqual(changeBetween("same", "same"), []);
  });
});

describe("linesOf", () => {
  it("a newline at the end starts no further line", () => {
    assert.deepEqual(linesOf("a\nb\n"), ["a", "b"]);
    assert.deepEqual(linesOf("a\n\n"), ["a", ""]);
    assert.deepEqual(linesOf(""), []);
  });
});
