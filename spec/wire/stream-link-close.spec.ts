/**
 * The ends of a stream link: one end with one reason, for every way to end.
 */
import assert from "node:assert/strict";
import { Duplex, PassThrough, Writable } from "node:stream";
import { describe, it } from "node:test";
import { streamLink } from "../../lib/wire/index.ts";
import { LinkLog, settle } from "../support/link-log.ts";
import { openOver, overPassThrough, SlowSink } from "../support/streams.ts";

describe("closing a stream link", () => {
  it("sends what is queued first, however slow the reader", async () => {
    const sink = new SlowSink();
    const { link, log } = openOver(new PassThrough(), sink);
    for (const line of ["a", "b".repeat(300_000), "c".repeat(300_000)]) link.send(line);
    link.close("done");
    while (!sink.writableFinished) {
      assert.deepEqual(log.events, []);
      sink.take();
      await new Promise(setImmediate);
    }
    assert.equal(await log.closed, "done");
    assert.equal(sink.taken.join(""), `a\n${"b".repeat(300_000)}\n${"c".repeat(300_000)}\n`);
  });

  it("keeps what was queued when somebody sends after it", async () => {
    const sink = new SlowSink();
    const { link, log } = openOver(new PassThrough(), sink);
    link.send("a");
    await settle();
    link.send("b");
    link.close("done");
    assert.equal(link.send("late"), false);
    for (let turn = 0; turn < 5; turn++, sink.take()) await new Promise(setImmediate);
    assert.equal(await log.closed, "done");
    assert.deepEqual(sink.taken, ["a\n", "b\n"]);
  });

  it("happens once, with the first reason, and is the last thing told", async () => {
    const { input, output, link, log } = overPassThrough();
    output.resume();
    link.close("first");
    link.close("second");
    input.write("too late\n");
    await log.closed;
    input.destroy();
    await settle();
    assert.equal(log.events.at(-1), "close first");
    assert.equal(log.events.filter((event) => event.startsWith("close")).length, 1);
    assert.ok(!log.events.includes("end"));
  });

  it("keeps its reason when the pipe breaks before all is sent", async () => {
    const sink = new SlowSink();
    const { link, log } = openOver(new PassThrough(), sink);
    for (const line of ["a", "b".repeat(300_000)]) link.send(line);
    link.close("done");
    await settle();
    assert.deepEqual(log.events, []);
    sink.destroy(Object.assign(new Error(), { code: "EPIPE" }));
    assert.equal(await log.closed, "done");
  });

  it("lets both streams go", async () => {
    const { input, output, link, log } = overPassThrough();
    output.resume();
    link.close("done");
    await log.closed;
    assert.ok(input.destroyed && output.destroyed);
  });
});

describe("a stream link that breaks", () => {
  it("ends with the error's code, read or write", async () => {
    const failure = Object.assign(new Error("secret detail"), { code: "EIO" });
    const reading = overPassThrough();
    reading.input.destroy(failure);
    assert.equal(await reading.log.closed, "reading failed: EIO");
    const writing = overPassThrough();
    writing.output.destroy(failure);
    assert.equal(await writing.log.closed, "writing failed: EIO");
    const nameless = overPassThrough();
    nameless.input.destroy(new RangeError("secret detail"));
    assert.equal(await nameless.log.closed, "reading failed: RangeError");
    await settle();
    for (const { log } of [reading, writing, nameless]) assert.equal(log.events.length, 1);
  });

  it("ends once when both streams fail, again and again", async () => {
    const { input, output, log } = overPassThrough();
    output.destroy(Object.assign(new Error(), { code: "EPIPE" }));
    input.destroy(Object.assign(new Error(), { code: "ECONNRESET" }));
    await settle();
    input.emit("error", new Error("again"));
    output.emit("error", new Error("again"));
    await settle();
    assert.deepEqual(log.events, ["close the other side closed the pipe"]);
  });

  it("ends when the output is closed without an error", async () => {
    const { output, log } = overPassThrough();
    output.destroy();
    assert.equal(await log.closed, "the output was closed");
  });

  it("tells the end of an input that closes without one, and drops its unfinished line", async () => {
    const { input, log } = overPassThrough();
    input.write("a\nunfinis");
    await log.has("line a");
    input.destroy();
    await settle();
    assert.deepEqual(log.events, ["line a", "end"]);
  });

  it("tells a link that opens later why it broke, once", async () => {
    const output = new PassThrough();
    const link = streamLink({ input: new PassThrough(), output });
    output.destroy(Object.assign(new Error(), { code: "EPIPE" }));
    await settle();
    assert.equal(link.send("into the void"), false);
    const log = new LinkLog();
    link.open(log);
    await settle();
    assert.deepEqual(log.events, ["close the other side closed the pipe"]);
  });

  it("tells a link that opens later that its input is at an end", async () => {
    const input = new PassThrough();
    const link = streamLink({ input, output: new PassThrough() });
    input.destroy();
    await settle();
    const log = new LinkLog();
    link.open(log);
    await settle();
    assert.deepEqual(log.events, ["end"]);
  });

  it("survives a write that fails at once", async () => {
    const output = new Writable({ write: (_chunk, _encoding, done) => done(new Error("no")) });
    const { link, log } = openOver(new PassThrough(), output);
    link.send("a");
    link.send("b");
    assert.equal(await log.closed, "writing failed: Error");
    assert.equal(link.send("c"), false);
  });

  it("survives one duplex stream that ends itself on both sides", async () => {
    const duplex = new Duplex({ read() {}, write: (_chunk, _encoding, done) => done(), allowHalfOpen: false });
    const { link, log } = openOver(duplex, duplex);
    duplex.push("a\n");
    duplex.push(null);
    await log.closed;
    link.send("late");
    await settle();
    assert.equal(log.events[0], "line a");
    assert.match(log.events.at(-1) ?? "", /^close /);
  });
});
