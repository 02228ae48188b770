/**
 * The input line with its cursor, and the completion of slash commands.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { draftOf } from "../../../../lib/program/chat/input/line-editor.ts";
import {
  afterTab,
  completed,
  inputLines,
  completionLines,
  completionsFor,
} from "../../../../lib/program/chat/input/input-view.ts";
import { ownCommand, slashWords } from "../../../../lib/program/chat/slash-commands.ts";
import { widthOf } from "../../../../lib/program/chat/render/text-width.ts";
import { hostileTexts, obeyed } from "../../../support/program/chat/hostile-texts.ts";
import { bare } from "../../../support/program/chat/themes.ts";

const narrow = { ...bare, columns: () => 10 };
const words = ["haul", "hoist", "compact"].map((name) => ({ name, description: `${name} it` }));

describe("inputLines", () => {
  it("the cursor is where the next letter will be", () => {
    assert.deepEqual(inputLines(draftOf("ab"), bare), { lines: ["❯ ab"], cursor: { row: 0, column: 4 } });
    assert.deepEqual(inputLines(draftOf("漢字"), bare).cursor, { row: 0, column: 6 });
    assert.deepEqual(inputLines({ ...draftOf("ab"), at: 1 }, bare).cursor, { row: 0, column: 3 });
  });

  it("long lines are wrapped, and the cursor's row stays visible", () => {
    assert.deepEqual(inputLines(draftOf("123456789"), narrow).lines, ["❯ 12345678", "  9"]);
    const { lines, cursor } = inputLines(draftOf(Array.from({ length: 40 }, (_, i) => i).join("\n")), narrow);
    assert.equal(lines.length, 10);
    assert.equal(lines[cursor.row], "  39");
  });

  it("escape sequences in pasted text are not printed", () => {
    for (const text of hostileTexts) {
      for (const line of inputLines(draftOf(text), bare).lines) assert.doesNotMatch(line, obeyed);
    }
  });
});

describe("completionsFor", () => {
  const offered = (text: string): readonly string[] => completionsFor(draftOf(text), words).map(({ name }) => name);

  it("commands that begin with the typed word are offered, while the draft is one word", () => {
    assert.deepEqual(offered("/"), ["haul", "hoist", "compact"]);
    assert.deepEqual(offered("/h"), ["haul", "hoist"]);
    assert.deepEqual(["h", "/h x", " /h", "/x"].flatMap(offered), []);
  });

  it("completions fit the terminal's width, and the arrow keys reach every one", () => {
    const many = Array.from({ length: 30 }, (_, i) => ({
      name: `word-${i}-${"x".repeat(i)}`,
      description: "漢".repeat(50),
    }));
    const lines = completionLines(many, bare);
    assert.equal(lines.at(-1), "  … 24 more, ↑ ↓ to choose");
    for (const line of lines) assert.ok(widthOf(line) <= 60, line);
    const chosen = completionLines(many, bare, 29);
    assert.match(chosen.at(-1) ?? "", /^▸ \/word-29/, "the last one is reached by the arrow keys");
  });
});

describe("afterTab", () => {
  it("Tab takes the chosen completion, or as much as all completions begin with", () => {
    assert.equal(afterTab("/", words, 1), `/${words[1]?.name} `);
    assert.equal(afterTab("/h", words.slice(0, 2), 0), "/h");
    assert.equal(afterTab("see @sr", [{ name: "src/a.ts", description: "" }], 0), "see @src/a.ts ");
    assert.equal(afterTab("see", [], 0), undefined);
  });
});

describe("completed", () => {
  it("Tab completes the common prefix of all offered commands", () => {
    assert.equal(completed(words.slice(0, 2)), "/h");
    assert.equal(completed(words.slice(2)), "/compact ");
    assert.equal(completed([]), undefined);
  });
});

describe("ownCommand", () => {
  it("ownCommand parses the chat's own commands, and leaves others to the agent", () => {
    assert.deepEqual(ownCommand("/mode  plan "), { word: "mode", rest: ["plan"] });
    assert.deepEqual(ownCommand("/exit"), { word: "quit", rest: [] });
    for (const text of ["/compact", "mode", "/toString", "/__proto__", "//mode", "/"])
      assert.equal(ownCommand(text), undefined);
  });
});

describe("slashWords", () => {
  it("slashWords has the chat's and the agent's commands, each name once", () => {
    const names = slashWords([...words, { name: "help", description: "theirs" }, { name: "a b", description: "" }]).map(
      ({ name }) => name,
    );
    assert.deepEqual(names, [
      "help",
      "new",
      "resume",
      "output",
      "mode",
      "model",
      "set",
      "quit",
      "haul",
      "hoist",
      "compact",
    ]);
  });
});
