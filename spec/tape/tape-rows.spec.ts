/**
 * A recording is read row by row, whatever the pieces in which its text comes.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { readRows, rowsIn } from "../../lib/tape/index.ts";

describe("rowsIn", () => {
  it("rowsIn gives the same rows for every way to cut the text, also in the middle of a line", () => {
    const text = readFileSync("fixtures/claude/text.ndjson", "utf8");
    const whole = readRows(text);
    for (const size of [1, 7, 100, 4096, text.length - 1]) {
      const pieces = Array.from({ length: Math.ceil(text.length / size) }, (_, i) =>
        text.slice(i * size, (i + 1) * size),
      );
      assert.deepEqual([...rowsIn(pieces)], whole, `${size} characters`);
    }
  });

  it("rowsIn ignores a last row that was cut off, and names the line of any other damage", () => {
    const good = '{"dir":"stderr","t":1,"text":"a"}\n';
    assert.equal([...rowsIn([good, '{"dir":', '"stde'])].length, 1);
    assert.equal([...rowsIn([good, "\n", good])].length, 2);
    assert.throws(() => [...rowsIn([good, '{"dir":"stde\n', good])], /line 2 of the recording must be JSON/);
    assert.throws(() => [...rowsIn([good, "[1]"])], /line 2 of the recording must be an object/);
    assert.deepEqual([...rowsIn([])], []);
  });
});
