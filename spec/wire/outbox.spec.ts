/**
 * Specs of the outbox: every line is written once and in order, whenever the sink is
 * full.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { defaultLagChars, defaultMaxQueuedChars, Outbox, type OutboxLimits } from "../../lib/wire/index.ts";

/** A sink and a tick that the spec controls: it says when the sink is full and when the tick ends. */
function bench(limits: OutboxLimits = {}) {
  const writes: string[] = [];
  const reported: string[] = [];
  let deferred: (() => void)[] = [];
  const sink = { takes: true };
  const outbox = new Outbox(
    {
      write: (text) => {
        writes.push(text);
        return sink.takes;
      },
      defer: (flush) => deferred.push(flush),
      onDrain: () => reported.push("drain"),
      onOverflow: (maxQueuedChars) => reported.push(`overflow ${maxQueuedChars}`),
    },
    limits,
  );
  const tick = (): void => {
    const due = deferred;
    deferred = [];
    for (const flush of due) flush();
  };
  return { outbox, writes, reported, sink, tick, deferredCount: () => deferred.length };
}

/** Fills the sink, so that lines queue up. */
function fill(outbox: Outbox, sink: { takes: boolean }): void {
  sink.takes = false;
  outbox.send("first");
  outbox.flush();
}

describe("Outbox", () => {
  it("the outbox joins the lines of one tick into one write, in order", () => {
    const { outbox, writes, tick, deferredCount } = bench();
    for (const line of ["a", "b", "c"]) assert.equal(outbox.send(line), true);
    assert.deepEqual(writes, []);
    assert.equal(deferredCount(), 1);
    tick();
    assert.deepEqual(writes, ["a\nb\nc\n"]);
    outbox.send("d");
    tick();
    assert.deepEqual(writes, ["a\nb\nc\n", "d\n"]);
  });

  it("the outbox writes nothing when nothing waits", () => {
    const { outbox, writes } = bench();
    outbox.flush();
    outbox.writable();
    assert.deepEqual(writes, []);
  });

  it("the outbox writes at once when it is flushed, and not again on the tick", () => {
    const { outbox, writes, tick } = bench();
    outbox.send("a");
    outbox.flush();
    tick();
    assert.deepEqual(writes, ["a\n"]);
    assert.ok(outbox.isEmpty);
  });

  it("the outbox queues lines while the sink is full", () => {
    const { outbox, writes, sink, tick } = bench();
    sink.takes = false;
    outbox.send("a");
    tick();
    outbox.send("b");
    tick();
    outbox.flush();
    outbox.send("c");
    assert.deepEqual(writes, ["a\n"]);
    assert.equal(outbox.queuedChars, 4);
    sink.takes = true;
    outbox.writable();
    assert.deepEqual(writes, ["a\n", "b\nc\n"]);
    assert.equal(outbox.queuedChars, 0);
  });

  it("the outbox reports lag when more than lagChars is queued", () => {
    const { outbox, reported, sink, tick } = bench({ lagChars: 8 });
    sink.takes = false;
    outbox.send("1234567");
    tick();
    assert.equal(outbox.send("123"), true);
    assert.equal(outbox.send("123"), true);
    assert.equal(outbox.send(""), false);
    assert.equal(outbox.send(""), false);
    assert.deepEqual(reported, []);
  });

  it("the outbox reports drain once, and only when everything is written", () => {
    const { outbox, reported, sink } = bench({ lagChars: 2 });
    sink.takes = false;
    outbox.send("a");
    outbox.flush();
    assert.equal(outbox.send("bc"), false);
    outbox.writable();
    assert.deepEqual(reported, [], "the sink took the line and is full again");
    sink.takes = true;
    outbox.writable();
    assert.deepEqual(reported, ["drain"]);
    outbox.writable();
    assert.deepEqual(reported, ["drain"]);
    assert.equal(outbox.send("d"), true);
  });

  it("the outbox reports no drain when it reported no lag", () => {
    const { outbox, reported, sink } = bench();
    sink.takes = false;
    outbox.send("a");
    outbox.flush();
    sink.takes = true;
    outbox.writable();
    assert.deepEqual(reported, []);
  });

  it("the outbox reports drain after a line longer than lagChars that the sink took at once", () => {
    const { outbox, reported, writes, tick } = bench({ lagChars: 4 });
    assert.equal(outbox.send("123456"), false);
    tick();
    assert.deepEqual([writes, reported], [["123456\n"], ["drain"]]);
  });

  it("the outbox reports an overflow once when too much is queued", () => {
    const { outbox, reported, writes, sink, tick } = bench({ lagChars: 7, maxQueuedChars: 10 });
    sink.takes = false;
    outbox.send("first");
    tick();
    for (let i = 0; i < 5; i++) assert.equal(outbox.send("1"), i < 3);
    assert.deepEqual(reported, []);
    assert.equal(outbox.send(""), false);
    assert.deepEqual(reported, ["overflow 10"]);
    for (let i = 0; i < 20; i++) assert.equal(outbox.send("2"), false);
    sink.takes = true;
    outbox.writable();
    tick();
    assert.deepEqual(reported, ["overflow 10"]);
    assert.deepEqual(writes, ["first\n"]);
    assert.equal(outbox.queuedChars, 0);
  });

  it("the outbox reports no drain after it was closed in the same tick", () => {
    const { outbox, reported, tick } = bench({ lagChars: 2, maxQueuedChars: 10 });
    outbox.send("1234567890");
    tick();
    assert.deepEqual(reported, ["overflow 10"]);
    const other = bench({ lagChars: 2 });
    other.outbox.send("123");
    other.outbox.close();
    other.tick();
    other.outbox.writable();
    assert.deepEqual(other.reported, []);
    assert.deepEqual(other.writes, []);
  });

  it("the outbox accepts lines from within its own callbacks", () => {
    const lines: string[] = [];
    const callbacks = {
      write: (text: string) => {
        lines.push(text);
        if (text === "a\n") outbox.send("from write");
        return true;
      },
      defer: () => {},
      onDrain: () => void outbox.send("from drain"),
      onOverflow: () => {},
    };
    const outbox: Outbox = new Outbox(callbacks, { lagChars: 1 });
    outbox.send("a");
    outbox.flush();
    outbox.flush();
    assert.deepEqual(lines, ["a\n", "from write\n", "from drain\n"]);
  });

  it("the outbox writes a long queue in pieces of about 256 Ki, cut only between lines", () => {
    const { outbox, writes, sink } = bench();
    fill(outbox, sink);
    const lines = Array.from({ length: 1000 }, (_, i) => `${i} `.padEnd(1000 + i, "x"));
    for (const line of lines) outbox.send(line);
    sink.takes = true;
    writes.length = 0;
    outbox.writable();
    assert.equal(writes.join(""), lines.map((line) => `${line}\n`).join(""));
    assert.ok(writes.length >= 5 && writes.length <= 7, `${writes.length} writes`);
    assert.ok(writes.every((text) => text.endsWith("\n") && text.length < 260 * 1024));
  });

  it("the outbox stops between the pieces of a long queue when the sink is full", () => {
    const { outbox, writes, sink } = bench();
    fill(outbox, sink);
    for (let i = 0; i < 1000; i++) outbox.send("x".repeat(1000));
    writes.length = 0;
    outbox.writable();
    assert.equal(writes.length, 1);
    const left = outbox.queuedChars;
    assert.equal(left + (writes[0]?.length ?? 0), 1001 * 1000);
  });

  it("the outbox writes many lines of one tick early, in writes that double", () => {
    const { outbox, writes, tick } = bench();
    for (let i = 0; i < 64; i++) assert.equal(outbox.send("x".repeat(99)), true);
    assert.deepEqual(
      writes.map((text) => text.length),
      [1100, 2100],
    );
    tick();
    assert.equal(writes.join("").length, 6400);
    for (let i = 0; i < 12; i++) outbox.send("x".repeat(99));
    assert.deepEqual(
      writes.slice(3).map((text) => text.length),
      [1100],
    );
  });

  it("the outbox writes a line of any length in one write", () => {
    const { outbox, writes } = bench();
    outbox.send("x".repeat(1_000_000));
    outbox.send("y");
    outbox.flush();
    assert.deepEqual(
      writes.map((text) => text.length),
      [1_000_001, 2],
    );
  });

  it("the outbox has named default limits", () => {
    assert.equal(defaultLagChars, 256 * 1024);
    assert.equal(defaultMaxQueuedChars, 64 * 1024 * 1024);
  });
});

describe("Outbox, for any interleaving of full and drained", () => {
  const step = fc.oneof(
    fc.record({ kind: fc.constant("send" as const), size: fc.oneof(fc.nat(20), fc.nat(200_000)) }),
    fc.record({ kind: fc.constantFrom("tick" as const, "flush" as const, "writable" as const), takes: fc.boolean() }),
  );

  it("the outbox loses nothing, repeats nothing and keeps the order for any interleaving of full and drained", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60, size: "max" }), fc.nat(1000), (steps, lagChars) => {
        const { outbox, writes, reported, sink, tick } = bench({ lagChars });
        const sent: string[] = [];
        let lags = 0;
        let isFull = false;
        for (const given of steps) {
          if (given.kind === "send") {
            const line = `${sent.length}:`.padEnd(given.size, "x");
            sent.push(line);
            if (!outbox.send(line) && lags === reported.length) lags++;
            continue;
          }
          // A sink reports that it is writable only after it was full.
          if (given.kind === "writable" && !isFull) continue;
          const before = writes.length;
          sink.takes = given.takes;
          if (given.kind === "tick") tick();
          else outbox[given.kind]();
          if (given.kind === "writable") isFull = false;
          if (writes.length > before) isFull = !given.takes;
        }
        sink.takes = true;
        outbox.writable();
        tick();
        assert.ok(writes.join("") === sent.map((line) => `${line}\n`).join(""), "what was written is what was sent");
        assert.ok(outbox.isEmpty && outbox.queuedChars === 0);
        assert.equal(reported.length, lags, "every lag is followed by one drain");
      }),
      { numRuns: 300 },
    );
  });
});
