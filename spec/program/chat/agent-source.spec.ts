/**
 * Splitting a command line by the quoting rules of a shell.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { splitCommand } from "../../../lib/program/chat/agent-source.ts";

describe("splitCommand", () => {
  it("splitCommand splits at spaces, and not within quotes", () => {
    const lines: readonly (readonly [string, readonly string[]])[] = [
      ["npx  agent --acp", ["npx", "agent", "--acp"]],
      [`node "my agent.js" 'a "b"'`, ["node", "my agent.js", 'a "b"']],
      [String.raw`a\ b "c\"d" e"f g"h ''`, ["a b", 'c"d', "ef gh", ""]],
      ["  ", []],
    ];
    for (const [line, words] of lines) assert.deepEqual(splitCommand(line), words, line);
  });

  it("splitCommand expands neither variables, globs nor ~", () => {
    assert.deepEqual(splitCommand("a $HOME `b` $(c) ; d | e > f *"), [
      "a",
      "$HOME",
      "`b`",
      "$(c)",
      ";",
      "d",
      "|",
      "e",
      ">",
      "f",
      "*",
    ]);
  });
});
