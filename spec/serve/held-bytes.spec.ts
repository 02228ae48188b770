/**
 * Held bytes: which responses are dropped when clients do not read.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { HeldBytes } from "../../lib/serve/held-bytes.ts";

const kib = 1024;

describe("HeldBytes", () => {
  it("a buffer counts once, however many responses hold it", () => {
    const held = new HeldBytes(1000 * kib);
    const buffer = Buffer.alloc(600 * kib);
    const releases = Array.from({ length: 32 }, () => held.hold(buffer, assert.fail));
    assert.equal(held.bytes, 600 * kib);
    for (const release of releases) release();
    assert.equal(held.bytes, 0);
  });

  it("the responses that have waited longest are dropped beyond the cap", () => {
    const held = new HeldBytes(1000 * kib);
    const dropped: string[] = [];
    const hold = (name: string): (() => void) => held.hold(Buffer.alloc(400 * kib), () => dropped.push(name));
    const releaseFirst = hold("first");
    hold("second");
    releaseFirst();
    hold("first again");
    hold("third");
    assert.deepEqual([dropped, held.bytes], [["second"], 800 * kib]);
    hold("fourth");
    assert.deepEqual(dropped, ["second", "first again"]);
  });

  it("every response that holds the oldest buffer is dropped when one is not enough", () => {
    const held = new HeldBytes(1000 * kib);
    let dropped = 0;
    const shared = Buffer.alloc(900 * kib);
    for (let i = 0; i < 3; i++) held.hold(shared, () => dropped++);
    held.hold(Buffer.alloc(200 * kib), assert.fail);
    assert.deepEqual([dropped, held.bytes], [3, 200 * kib]);
  });

  it("the only buffer is never dropped, however large it is", () => {
    const held = new HeldBytes(1000 * kib);
    const release = held.hold(Buffer.alloc(5000 * kib), assert.fail);
    release();
    release();
    assert.equal(held.bytes, 0);
  });

  it("buffers below the minimum size do not count towards the limit of held bytes", () => {
    const held = new HeldBytes(1);
    for (let i = 0; i < 10; i++) held.hold(Buffer.alloc(63 * kib), assert.fail);
    assert.equal(held.bytes, 0);
  });
});
