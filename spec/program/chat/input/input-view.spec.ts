/**
 * Input line: the draft with its cursor, and what a slash could mean.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { draftOf } from "../../../../lib/program/chat/input/line-editor.ts";
import {
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
  it("puts the cursor where the next letter will be", () => {
    assert.deepEqual(inputLines(draftOf("ab"), bare), { lines: ["❯ ab"], cursor: { row: 0, column: 4 } });
    assert.deepEqual(inputLines(draftOf("漢字"), bare).cursor, { row: 0, column: 6 });
    assert.deepEqual(inputLines({ ...draftOf("ab"), at: 1 }, bare).cursor, { row: 0, column: 3 });
  });

  it("breaks long lines and keeps the row of the cursor in sight", () => {
    assert.deepEqual(inputLines(draftOf("123456789"), narrow).lines, ["❯ 12345678", "  9"]);
    const { lines, cursor } = inputLines(draftOf(Array.from({ length: 40 }, (_, i) => i).join("\n")), narrow);
    assert.equal(lines.length, 10);
    assert.equal(lines[cursor.row], "  39");
  });

  it("obeys nothing that was pasted", () => {
    for (const text of hostileTexts) {
      for (const line of inputLines(draftOf(text), bare).lines) assert.doesNotMatch(line, obeyed);
    }
  });
});

describe("offersFor", () => {
  const offered = (text: string): readonly string[] => completionsFor(draftOf(text), words).map(({ name }) => name);

  it("offers what begins as the draft does, while it is a word", () => {
    assert.deepEqual(offered("/"), ["haul", "hoist", "compact"]);
    assert.deepEqual(offered("/h"), ["haul", "hoist"]);
    assert.deepEqual(["h", "/h x", " /h", "/x"].flatMap(offered), []);
  });

  it("is shown within the width", () => {
    const many = Array.from({ length: 30 }, (_, i) => ({
      name: `word-${i}-${"x".repeat(i)}`,
      description: "漢".repeat(50),
    }));
    const lines = completionLines(many, bare);
    assert.equal(lines.at(-1), "  … 24 more");
    for (const line of lines) assert.ok(widthOf(line) <= 60, line);
  });
});

describe("completed", () => {
  it("writes as much as all offers agree on", () => {
    assert.equal(completed(words.slice(0, 2)), "/h");
    assert.equal(completed(words.slice(2)), "/compact ");
    assert.equal(completed([]), undefined);
  });
});

describe("ownCommand", () => {
  it("knows our own words, and leaves the others to the agent", () => {
    assert.deepEqual(ownCommand("/mode  plan "), { word: "mode", rest: ["plan"] });
    assert.deepEqual(ownCommand("/exit"), { word: "quit", rest: [] });
    for (const text of ["/compact", "mode", "/toString", "/__proto__", "//mode", "/"])
      assert.equal(ownCommand(text), undefined);
  });
});

describe("slashWords", () => {
  it("has ours and the agent's, each name once", () => {
    const names = slashWords([...words, { name: "help", description: "theirs" }, { name: "a b", description: "" }]).map(
      ({ name }) => name,
    );
    assert.deepEqual(names, ["help", "new", "mode", "model", "set", "quit", "haul", "hoist", "compact"]);
  });
});
