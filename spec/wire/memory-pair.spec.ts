/**
 * Specs of the memory pair: it behaves like a pipe.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type LinkLimits, memoryPair } from "../../lib/wire/index.ts";
import { LinkLog, settle } from "../support/wire/link-log.ts";
import { processorMs } from "../support/growth.ts";

function openPair(limits: LinkLimits = {}) {
  const [left, right] = memoryPair(limits);
  const [atLeft, atRight] = [new LinkLog(), new LinkLog()];
  left.open(atLeft);
  right.open(atRight);
  return { left, right, atLeft, atRight };
}

describe("memoryPair", () => {
  it("a memory pair delivers in order, both ways", async () => {
    const { left, right, atLeft, atRight } = openPair();
    for (let i = 0; i < 100; i++) {
      left.send(`to the right ${i}`);
      right.send(`to the left ${i}`);
    }
    await settle();
    assert.deepEqual(
      atRight.lines,
      Array.from({ length: 100 }, (_, i) => `to the right ${i}`),
    );
    assert.deepEqual(
      atLeft.lines,
      Array.from({ length: 100 }, (_, i) => `to the left ${i}`),
    );
  });

  it("a memory pair never delivers within the call that sent", async () => {
    const { left, right, atRight } = openPair();
    left.send("a");
    assert.deepEqual(atRight.lines, []);
    await atRight.has("line a");
    right.resume();
    left.send("b");
    assert.deepEqual(atRight.lines, ["a"]);
    await atRight.has("line b");
  });

  it("a memory pair keeps lines that were sent before the far side opened", async () => {
    const [left, right] = memoryPair();
    left.open(new LinkLog());
    left.send("early");
    await settle();
    const atRight = new LinkLog();
    right.open(atRight);
    left.send("late");
    await settle();
    assert.deepEqual(atRight.events, ["line early", "line late"]);
  });

  it("a memory pair splits a line that contains a newline, as a pipe would, and skips blank lines", async () => {
    const { left, atRight } = openPair();
    left.send("a\nb");
    left.send("");
    left.send("  ");
    left.send("c");
    await settle();
    assert.deepEqual(atRight.lines, ["a", "b", "c"]);
  });

  it("a memory pair reports a line over the limit and goes on", async () => {
    const { left, atRight } = openPair({ maxLineBytes: 4 });
    for (const line of ["1234", "12345", "ok"]) left.send(line);
    await settle();
    assert.deepEqual(atRight.events, ["line 1234", "fault too-long", "line ok"]);
    assert.deepEqual(atRight.faults, [{ kind: "too-long", maxLineBytes: 4 }]);
  });

  it("a memory pair delivers nothing while the receiver is paused, and everything afterwards", async () => {
    const { left, right, atRight } = openPair();
    right.pause();
    left.send("a");
    await settle();
    left.send("b");
    await settle();
    assert.deepEqual(atRight.events, []);
    right.resume();
    await settle();
    assert.deepEqual(atRight.events, ["line a", "line b"]);
  });

  it("a memory pair stops between two lines when the receiver pauses at the first", async () => {
    const [left, right] = memoryPair();
    const log = new LinkLog(() => right.pause());
    right.open(log);
    left.open(new LinkLog());
    for (const line of ["a", "b", "c"]) left.send(line);
    for (const expected of [["a"], ["a", "b"], ["a", "b", "c"]]) {
      await settle();
      assert.deepEqual(log.lines, expected);
      right.resume();
    }
  });

  it("a memory pair takes no longer per line when the receiver pauses at each of very many lines", async () => {
    const [left, right] = memoryPair();
    const count = 50_000;
    left.open(new LinkLog());
    const start = processorMs();
    await new Promise<void>((resolve) => {
      let got = 0;
      const log = new LinkLog((line) => {
        assert.equal(line, String(got++));
        right.pause();
        if (got === count) resolve();
        else queueMicrotask(right.resume);
      });
      right.open(log);
      for (let i = 0; i < count; i++) left.send(String(i));
    });
    // 0.05 s; 11 s if the waiting lines are copied at every pause.
    assert.ok(processorMs() - start < 3000);
  });

  it("a memory pair reports lag when the receiver pauses, and drain when it has caught up", async () => {
    const { left, right, atLeft, atRight } = openPair({ lagChars: 10 });
    right.pause();
    left.send("first");
    await settle();
    assert.equal(left.send("12345"), true);
    assert.equal(left.send("12345"), false);
    await settle();
    assert.deepEqual(atLeft.events, []);
    right.resume();
    await atLeft.has("drain");
    assert.deepEqual(atRight.lines, ["first", "12345", "12345"]);
    assert.equal(left.send("again"), true);
  });

  it("a memory pair closes when too much is queued", async () => {
    const { left, right, atLeft, atRight } = openPair({ lagChars: 10, maxQueuedChars: 20 });
    right.pause();
    left.send("first");
    await settle();
    for (let i = 0; i < 50; i++) left.send("12345");
    await settle();
    assert.deepEqual(atLeft.events, ["close the other side does not read: more than 20 characters wait"]);
    right.resume();
    await settle();
    assert.deepEqual(atRight.events, ["line first", "end"]);
  });
});

describe("closing one end of a memory pair", () => {
  it("closing one end of a memory pair delivers the sent lines, then ends the far side, which may still send", async () => {
    const { left, right, atLeft, atRight } = openPair();
    left.send("a");
    left.close("done");
    assert.deepEqual(atLeft.events, [], "not within the call");
    await settle();
    assert.deepEqual(atLeft.events, ["close done"]);
    assert.deepEqual(atRight.events, ["line a", "end"]);
    assert.equal(right.send("into the void"), true);
    right.close("me too");
    await settle();
    assert.deepEqual(atLeft.events, ["close done"]);
    assert.deepEqual(atRight.events, ["line a", "end", "close me too"]);
  });

  it("closing one end of a memory pair delivers the lines that wait for a paused receiver", async () => {
    const { left, right, atRight } = openPair({ lagChars: 10 });
    right.pause();
    left.send("a");
    await settle();
    for (const line of ["b", "x".repeat(300_000), "y".repeat(300_000), "c"]) left.send(line);
    left.close("done");
    await settle();
    assert.deepEqual(atRight.events, []);
    right.resume();
    await settle();
    const expected = [
      "line a",
      "line b",
      `line ${"x".repeat(300_000)}`,
      `line ${"y".repeat(300_000)}`,
      "line c",
      "end",
    ];
    assert.ok(atRight.events.join() === expected.join());
  });

  it("closing one end of a memory pair delivers the lines that wait for a receiver that has not opened", async () => {
    const [left, right] = memoryPair();
    left.open(new LinkLog());
    left.send("a");
    left.close("done");
    await settle();
    const atRight = new LinkLog();
    right.open(atRight);
    await settle();
    assert.deepEqual(atRight.events, ["line a", "end"]);
  });

  it("closing one end of a memory pair stops delivery to that end", async () => {
    const [left, right] = memoryPair();
    const log = new LinkLog(() => right.close("enough"));
    right.open(log);
    left.open(new LinkLog());
    for (const line of ["a", "b", "c"]) left.send(line);
    assert.equal(await log.closed, "enough");
    assert.deepEqual(log.lines, ["a"]);
  });

  it("closing one end of a memory pair happens once, with the first reason", async () => {
    const { left, atLeft } = openPair();
    left.close("first");
    left.close("second");
    assert.equal(left.send("late"), false);
    await settle();
    assert.deepEqual(atLeft.events, ["close first"]);
  });

  it("a closed end of a memory pair reports the close once when it is opened later", async () => {
    for (const wait of [settle, () => Promise.resolve()]) {
      const [left] = memoryPair();
      left.close("before");
      await wait();
      const atLeft = new LinkLog();
      left.open(atLeft);
      await settle();
      assert.deepEqual(atLeft.events, ["close before"]);
    }
  });

  it("onClose of a memory pair is called last, even when a line and a drain are due", async () => {
    const { left, right, atLeft } = openPair({ lagChars: 1 });
    right.pause();
    right.send("on its way");
    left.send("1234");
    left.close("done");
    right.resume();
    await settle();
    assert.equal(atLeft.events.at(-1), "close done");
    assert.equal(atLeft.events.filter((event) => event.startsWith("close")).length, 1);
  });

  it("closing both ends of a memory pair at once closes both", async () => {
    const { left, right, atLeft, atRight } = openPair();
    left.close("left");
    right.close("right");
    await settle();
    assert.deepEqual(atLeft.events, ["close left"]);
    assert.deepEqual(atRight.events, ["close right"]);
  });
});
