/**
 * What was not shown of a command's output is found in the whole output.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { CodexOutput } from "../../../../lib/codex/translate/state/live-output.ts";

describe("LiveOutput", () => {
  it("any part of an output that was shown is found again", () => {
    const text = fc.string({ unit: fc.constantFrom("a", "b", "\n"), maxLength: 40 });
    fc.assert(
      fc.property(text, fc.array(text, { minLength: 1, maxLength: 4 }), (first, pieces) => {
        const output = new CodexOutput();
        for (const piece of pieces) output.add(piece);
        const shown = pieces.join("");
        const { before, after } = output.missing(first + shown);
        assert.equal(shown === "" ? after : before, first);
        assert.equal(before + shown + after, first + shown);
      }),
    );
  });

  it("the piece before a long output that Codex cut in the middle is found", () => {
    const output = new CodexOutput();
    const long = Array.from({ length: 5000 }, (_, i) => `line ${i}\n`).join("");
    output.add(long);
    const cut = `first\n${long.slice(0, 2000)}\n... 9 bytes omitted ...\n${long.slice(-2000)}`;
    assert.deepEqual(output.missing(cut), { before: "first\n", after: "" });
  });

  it("an output that does not have what was shown adds nothing", () => {
    const output = new CodexOutput();
    output.add("one\n");
    assert.deepEqual(output.missing("two\n"), { before: "", after: "" });
    assert.deepEqual(output.missing(""), { before: "", after: "" });
    const long = new CodexOutput();
    long.add(`A${"x".repeat(5000)}`);
    assert.deepEqual(long.missing(`first B${"x".repeat(5000)}`), { before: "", after: "" });
  });

  it("output that was not shown yet is all of it", () => {
    assert.deepEqual(new CodexOutput().missing("whole"), { before: "", after: "whole" });
  });
});
