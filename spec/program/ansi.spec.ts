/**
 * Colours and weights of text in a terminal.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { textStyle, wantsColour } from "../../lib/program/ansi.ts";

describe("wantsColour", () => {
  it("wantsColour follows FORCE_COLOR, then NO_COLOR, and otherwise colours only a terminal", () => {
    const cases = [
      [{}, true, true],
      [{}, false, false],
      [{ TERM: "dumb" }, true, false],
      [{ NO_COLOR: "1" }, true, false],
      [{ NO_COLOR: "" }, true, true],
      [{ FORCE_COLOR: "1" }, false, true],
      [{ FORCE_COLOR: "0" }, true, false],
      [{ FORCE_COLOR: "1", NO_COLOR: "1" }, true, true],
    ] as const;
    for (const [env, isTerminal, expected] of cases)
      assert.equal(wantsColour(env, isTerminal), expected, JSON.stringify(env));
  });
});

describe("textStyle", () => {
  it("textStyle ends the style it begins, and leaves text unchanged when it is off", () => {
    assert.equal(textStyle(true).bold(textStyle(true).red("a")), "\x1b[1m\x1b[31ma\x1b[39m\x1b[22m");
    assert.equal(textStyle(true).red(""), "");
    assert.equal(textStyle(false).red("a"), "a");
  });
});

describe("textStyle without colours", () => {
  it("NO_COLOR in a terminal keeps bold, italic and dim, and drops colours", () => {
    const paint = textStyle(true, false);
    assert.equal(paint.red(paint.bold("x")), "\x1b[1mx\x1b[22m");
    assert.equal(paint.isOn, true);
  });
});
