/**
 * The line diff, with numbered lines.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { diffRows, linesOf } from "../../../../lib/program/chat/render/diff.ts";
import { processorMs } from "../../../support/growth.ts";

function told(before: string, after: string, place?: number): readonly string[] {
  return diffRows(before, after, place).map((row) =>
    row.mark === "gap" ? `… ${row.count}` : `${row.mark === "-" ? row.old : row.now}${row.mark}${row.text}`,
  );
}

const eight = "1\n2\n3\n4\n5\n6\n7\n8\n";

describe("diffRows", () => {
  it("removed and added lines are shown with their context", () => {
    assert.deepEqual(told(eight, eight.replace("4", "four")), [
      "1 1",
      "2 2",
      "3 3",
      "4-4",
      "4+four",
      "5 5",
      "6 6",
      "7 7",
      "… 1",
    ]);
  });

  it("line numbers count from the place of the first change, where it is known", () => {
    assert.deepEqual(told("a\nb\n", "a\nc\n", 42), ["41 a", "42-b", "42+c"]);
    assert.deepEqual(told("a\nb\n", "a\nc\n", 1), ["1 a", "2-b", "2+c"], "no line is before the first");
  });

  it("a new file is all added lines, an emptied one all removed lines", () => {
    assert.deepEqual(told("", "a\nb"), ["1+a", "2+b"]);
    assert.deepEqual(told("a\nb", ""), ["1-a", "2-b"]);
    assert.deepEqual(told("a\n", "a\n"), []);
  });

  it("applying the diff to the old text gives the new text, for any texts", () => {
    const lines = fc.array(fc.constantFrom("a", "b", "c", ""), { maxLength: 12 }).map((all) => all.join("\n"));
    fc.assert(
      fc.property(lines, lines, (before, after) => {
        const rows = diffRows(before, after, undefined);
        const isChanged = JSON.stringify(linesOf(before)) !== JSON.stringify(linesOf(after));
        assert.equal(rows.length > 0, isChanged);
        const removed = rows.filter(({ mark }) => mark === "-").length;
        const added = rows.filter(({ mark }) => mark === "+").length;
        assert.equal(added - removed, linesOf(after).length - linesOf(before).length);
        for (const row of rows) {
          if (row.mark === "gap") continue;
          const side = row.mark === "-" ? linesOf(before) : linesOf(after);
          assert.equal(side[(row.mark === "-" ? row.old : row.now) - 1], row.text);
        }
      }),
    );
  });

  it("two large texts without a common line are compared quickly", () => {
    const text = (sign: string): string => Array.from({ length: 20_000 }, (_, i) => `${sign}${i}`).join("\n");
    const started = processorMs();
    assert.equal(diffRows(text("a"), text("b"), undefined).length, 40_000);
    assert.ok(processorMs() - started < 2000);
  });
});
