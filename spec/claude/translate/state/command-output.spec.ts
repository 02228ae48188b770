/**
 * Specs of the output of a running command.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { CommandOutput, maxLiveChars } from "../../../../lib/claude/translate/state/command-output.ts";
import { outputTail } from "../../../../lib/display/index.ts";

describe("CommandOutput", () => {
  it("each piece of the output is returned once, and the rest at the end", () => {
    const output = new CommandOutput();
    assert.equal(output.take("one\n", 4), "one\n");
    assert.equal(output.take("one\n", 4), "");
    assert.equal(output.take("one\ntwo\n", 8), "two\n");
    assert.equal(output.rest("one\ntwo\nthree"), "three");
    assert.equal(output.rest("one\ntwo"), "", "the CLI cuts the last line break");
  });

  it("output that was printed too fast is replaced by its length", () => {
    const output = new CommandOutput();
    output.take("a".repeat(10), 10);
    assert.equal(output.take("c".repeat(10), 120), `\n[100 bytes not shown]\n${"c".repeat(10)}`);
    assert.equal(output.rest("Preview: aaa"), "\nPreview: aaa");
  });

  it("a piece never begins within a character", () => {
    const output = new CommandOutput();
    output.take("é", 1);
    assert.equal(output.take("é!", 3), "!");
  });

  it("the output of a running command has a limit", () => {
    const output = new CommandOutput();
    let shown = 0;
    for (let total = 8192; total < 10_000_000; total += 8192) shown += output.take("x".repeat(8192), total).length;
    assert.equal(shown, maxLiveChars);
  });

  it("the tail of an output begins with a line", () => {
    const tail = outputTail(Array.from({ length: 2000 }, (_, i) => `line ${i}`).join("\n"));
    assert.match(tail, /^…\nline \d+\n[\s\S]*line 1999$/);
    assert.ok(tail.length <= 4100);
  });
});
