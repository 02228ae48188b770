/**
 * Hunks of a diff: context, grouping and line numbers.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { patchOf } from "../../lib/editor-tools/hunks.ts";
import { editText } from "../../lib/editor-tools/text-edit.ts";

function patch(text: string, oldText: string, newText: string): ReturnType<typeof patchOf> {
  const edited = editText(text, { oldText, newText, isEverywhere: true });
  assert.ok(edited.kind === "edited");
  return patchOf(text, edited.changes);
}

describe("patchOf", () => {
  const lines = Array.from({ length: 30 }, (_, i) => `line ${i + 1}\n`).join("");

  it("a hunk has three lines of context around a change", () => {
    assert.deepEqual(patch(lines, "line 10\n", "ten\nand more\n"), [
      {
        oldStart: 7,
        oldLines: 8,
        newStart: 7,
        newLines: 9,
        lines: [
          " line 7",
          " line 8",
          " line 9",
          "-line 10",
          "+ten",
          "+and more",
          " line 11",
          " line 12",
          " line 13",
          " line 14",
        ],
      },
    ]);
  });

  it("changes far apart get a hunk each, with line numbers of the new text", () => {
    const hunks = patch(lines.replace("line 2\n", "same\n").replace("line 25\n", "same\n"), "same\n", "x\ny\n");
    assert.deepEqual(
      hunks.map(({ oldStart, newStart }) => [oldStart, newStart]),
      [
        [1, 1],
        [22, 23],
      ],
    );
  });

  it("a last line without a newline is marked as such", () => {
    assert.deepEqual(patch("a\nb", "b", "c")[0]?.lines, [
      " a",
      "-b",
      "\\ No newline at end of file",
      "+c",
      "\\ No newline at end of file",
    ]);
  });
});
