/**
 * Paint: colours where they are wanted.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isColourful, paint } from "../../../../lib/program/chat/render/text-style.ts";

describe("isColourful", () => {
  it("listens to the person first, then looks where it writes", () => {
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
      assert.equal(isColourful(env, isTerminal), expected, JSON.stringify(env));
  });
});

describe("paint", () => {
  it("ends what it begins, and paints nothing where it is off", () => {
    assert.equal(paint(true).bold(paint(true).red("a")), "\x1b[1m\x1b[31ma\x1b[39m\x1b[22m");
    assert.equal(paint(true).red(""), "");
    assert.equal(paint(false).red("a"), "a");
  });
});
