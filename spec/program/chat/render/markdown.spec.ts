/**
 * Markdown in the terminal, also while it streams in.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { closed, markdownEnd, markdownLine, startOfText } from "../../../../lib/program/chat/render/markdown.ts";
import { widthOf } from "../../../../lib/program/chat/render/text-width.ts";
import { bare, coloured, spelled } from "../../../support/program/chat/themes.ts";
import { hostileTexts, obeyed } from "../../../support/program/chat/hostile-texts.ts";
import { processorMs } from "../../../support/growth.ts";

function rendered(text: string, look = coloured): string {
  let state = startOfText;
  const lines: string[] = [];
  for (const line of text.split("\n")) {
    const one = markdownLine(state, line, look);
    state = one.state;
    lines.push(...one.lines);
  }
  return spelled([...lines, ...markdownEnd(state, look)].join("\n"));
}

describe("markdownLine", () => {
  it("headings, bold, italic, code and links are styled", () => {
    assert.equal(rendered("## A *b*"), "<magenta><b>A <i>b</i></></c>");
    assert.equal(rendered("### A"), "<b>A</>");
    assert.equal(rendered("a **b** *c* `d**e**` _f_ __g__"), "a <b>b</> <i>c</i> <cyan>d**e**</c> <i>f</i> <b>g</>");
    assert.equal(rendered("see [here](https://example.com)"), "see here <dim>(https://example.com)</>");
  });

  it("text that only looks like a mark is unchanged", () => {
    for (const text of ["2 * 3 * 4", "snake_case_name", "a ** b", "#no heading", "`open", "[x] y", "1.5 knots"]) {
      assert.equal(rendered(text), text);
    }
  });

  it("wrapped lines of a list item are indented below its text", () => {
    const long = `- ${"knot ".repeat(20).trim()}`;
    const [first = "", second = ""] = rendered(long).split("\n");
    assert.match(first, /^<cyan>•<\/c> knot/);
    assert.match(second, /^ {2}knot/);
    assert.match(rendered("  10. x"), /^ {2}<cyan>10\.<\/c> x$/);
  });

  it("marks within a code fence are not styled, and only a matching mark ends the fence", () => {
    const text = "```\n**a** `b`\n~~~\n```x\n```\n**c**";
    const expected = "  <cyan>**a** `b`</c>\n  <cyan>~~~</c>\n  <cyan>```x</c>\n<b>c</>";
    assert.equal(rendered(text), expected);
  });

  it("a table has aligned columns, and its numbers stand to the right", () => {
    const text = "| name | size |\n|:--|---:|\n| a.ts | 1 |\n| **long**.ts | 247 |\nafter";
    assert.equal(
      rendered(text),
      "<b>name</>     <b>size</>\n<dim>───────  ────</>\na.ts        1\n<b>long</>.ts   247\nafter",
    );
  });

  it("a table that is too wide is wrapped within its columns, or shown cell by cell", () => {
    const wide = `| one | two |\n|--|--|\n| ${"word ".repeat(20)}| ${"rope ".repeat(20)}|`;
    for (const line of rendered(wide)
      .replaceAll(/<[^>]*>/g, "")
      .split("\n"))
      assert.ok(widthOf(line) <= 60, line);
    const many = `|${" a |".repeat(30)}\n|${"--|".repeat(30)}\n|${" b |".repeat(30)}`;
    assert.match(rendered(many), /^<b>a<\/>: b\n/);
  });

  it("rows with bars that are no table are shown as they are", () => {
    assert.equal(rendered("| only | one |"), "| only | one |");
    assert.equal(rendered("| a |\n| b |"), "| a |\n| b |");
  });

  it("task lists and strikethrough are shown as such", () => {
    assert.equal(rendered("- [ ] a\n- [x] ~~b~~"), "<cyan>○</c> a\n<cyan>✓</c> <9>b<29>");
  });

  it("code is coloured in the language of its block, and a comment may have several lines", () => {
    assert.equal(
      rendered('```ts\nconst a = "b"; // c\n/* d\ne */ f(1)\n```'),
      '  <magenta>const</c> a = <green>"b"</c>; <dim>// c</>\n  <dim>/*</><dim> d</>\n  <dim>e */</> <cyan>f</c>(<yellow>1</c>)',
    );
    assert.equal(
      rendered("```py\n# x\ndef f(): pass\n```"),
      "  <dim># x</>\n  <magenta>def</c> <cyan>f</c>(): <magenta>pass</c>",
    );
    assert.equal(rendered("```diff\n+a\n-b\n```"), "  <green>+a</c>\n  <red>-b</c>");
  });

  it("colouring changes no character of the code", () => {
    const code = "const a = `x ${b}`; 'it''s' /* */ # $# \\ <T> 0x1f é 漢";
    for (const name of ["ts", "py", "sh", "sql", "json", "rust", "html", "nothing"])
      assert.equal(
        rendered(`\`\`\`${name}\n${code}\n\`\`\``, { ...coloured, columns: () => 200 })
          .replaceAll(/<(?:\/?[a-z0-9]*)>/g, "")
          .trim(),
        code,
      );
  });

  it("quotes and rules are styled", () => {
    assert.equal(rendered("> said"), "<dim>│ said</>");
    assert.match(rendered("---"), /^<dim>─{40}<\/>$/);
  });

  it("without colours the Markdown source is kept", () => {
    for (const text of ["## A", "**b** `c`", "- d", "```js\nx\n```"]) assert.equal(rendered(text, bare), text);
  });

  it("no text prints escape sequences or exceeds the width", () => {
    for (const text of [...hostileTexts, "```", "**".repeat(500), "`".repeat(99), "漢".repeat(99), "> ".repeat(60)]) {
      const { lines } = markdownLine(startOfText, text, { ...coloured, columns: () => 20 });
      for (const line of lines) {
        assert.ok(widthOf(line) <= 20, line);
        // oxlint-disable-next-line no-control-regex
        assert.doesNotMatch(line.replaceAll(/\x1b\[\d+m/g, ""), obeyed);
      }
    }
  });

  it("a line built to be slow is rendered quickly", () => {
    const started = processorMs();
    for (const text of [
      "**a".repeat(1300),
      "[".repeat(4000),
      "_a ".repeat(1300),
      `${"#".repeat(6)} ${" #".repeat(1900)}`,
    ]) {
      markdownLine(startOfText, text, coloured);
    }
    assert.ok(processorMs() - started < 1000);
  });
});

describe("closed", () => {
  it("an unfinished line is shown as it will look when it is finished, at every letter", () => {
    const text = "see **bold** and `code` here";
    for (let i = 1; i <= text.length; i++) {
      const shown = rendered(closed(text.slice(0, i)));
      assert.doesNotMatch(shown, /[*`]/, text.slice(0, i));
    }
  });
});
