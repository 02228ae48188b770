/**
 * The inspector's search.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { chunk, findMatches, matchesOf, tapeOf } from "../../../../support/program/inspector-modules.ts";

const { rows } = tapeOf(...["One", "two", "ONE more", "three"].map((text, t) => chunk(t, text)));

/** Pauses after every row, and counts the pauses. */
class EveryRow {
  readonly isDue = true;
  count = 0;

  async next(): Promise<void> {
    this.count++;
  }
}

describe("findMatches", () => {
  it("findMatches finds the rows that contain the text in any case, and pauses when a pause is due", async () => {
    const pauses = new EveryRow();
    const found = await findMatches(rows, "one", pauses, () => false);
    assert.deepEqual(found, matchesOf(rows, "one"));
    assert.deepEqual(
      [...(found ?? [])].map(({ i }) => i),
      [0, 2],
    );
    assert.equal(pauses.count, rows.length);
  });

  it("findMatches stops at the next pause when another search began", async () => {
    const pauses = new EveryRow();
    assert.equal(await findMatches(rows, "one", pauses, () => pauses.count === 2), undefined);
    assert.equal(pauses.count, 2);
  });
});
