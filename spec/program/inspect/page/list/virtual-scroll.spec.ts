/**
 * The scroll positions of the inspector's list.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { scroll } from "../../../../support/program/inspector-modules.ts";

const { heightOf, offsetAt, scrollTopAt } = scroll;

describe("virtual scroll", () => {
  it("a list that fits into an element scrolls pixel by pixel", () => {
    const space = { count: 50_000, rowPx: 26, viewPx: 600 };
    assert.equal(heightOf(space), 1_300_000);
    assert.equal(offsetAt(space, 777), 777);
    assert.equal(scrollTopAt(space, 777), 777);
  });

  it("a list of a million rows is no higher than a browser allows, and every row can be reached", () => {
    const space = { count: 1_500_000, rowPx: 26, viewPx: 600 };
    const height = heightOf(space);
    assert.ok(height < 17_000_000);
    assert.equal(offsetAt(space, 0), 0);
    assert.equal(offsetAt(space, height - space.viewPx), space.count * space.rowPx - space.viewPx);
    for (const row of [0, 1, 777_777, 1_499_970])
      assert.ok(Math.abs(offsetAt(space, scrollTopAt(space, row * 26)) - row * 26) < 0.01);
  });

  it("an empty list has no height", () => {
    assert.deepEqual(
      [heightOf({ count: 0, rowPx: 26, viewPx: 600 }), offsetAt({ count: 0, rowPx: 26, viewPx: 600 }, 0)],
      [0, 0],
    );
  });
});
