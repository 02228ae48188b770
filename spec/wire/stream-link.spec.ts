/**
 * Specs of the link over Node streams: lines, backpressure, and closing exactly once
 * with a reason.
 */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { Duplex, PassThrough, Readable, Writable } from "node:stream";
import { describe, it } from "node:test";
import { streamLink } from "../../lib/wire/index.ts";
import { LinkLog, settle } from "../support/wire/link-log.ts";
import { openOver, overPassThrough, SlowSink } from "../support/wire/streams.ts";

describe("streamLink", () => {
  it("a stream link reads lines, and writes the lines of one tick in one write", async () => {
    const { input, output, link, log } = overPassThrough();
    input.write("a\nb");
    link.send("x");
    link.send("y");
    input.write("c\n");
    await log.has("line bc");
    assert.deepEqual(log.lines, ["a", "bc"]);
    await settle();
    assert.equal(output.read(), "x\ny\n");
  });

  it("a stream link emits a last line without a newline, then the end, and may still send", async () => {
    const { input, output, link, log } = overPassThrough();
    input.end("a\nlast");
    await log.has("end");
    assert.deepEqual(log.events, ["line a", "line last", "end"]);
    link.send("answer");
    await settle();
    assert.equal(output.read(), "answer\n");
    link.close("done");
    output.resume();
    assert.equal(await log.closed, "done");
    assert.deepEqual(log.events.slice(2), ["end", "close done"]);
  });

  it("a stream link reports bad lines and reads on", async () => {
    const { input, log } = overPassThrough({ maxLineBytes: 4 });
    input.write(Buffer.from([0xff, 0x0a]));
    input.write("12345\nok\n");
    await log.has("line ok");
    assert.deepEqual(log.events, ["fault invalid-utf8", "fault too-long", "line ok"]);
  });

  it("a stream link reads a stream whose encoding was set", async () => {
    const input = new PassThrough().setEncoding("utf8");
    const { log } = openOver(input, new PassThrough());
    for (const byte of Buffer.from("é\n{}\n")) input.write(Uint8Array.of(byte));
    await log.has("line {}");
    assert.deepEqual(log.lines, ["é", "{}"]);
  });

  it("a stream link reads nothing while paused, also when paused before it is open", async () => {
    const input = new PassThrough();
    const link = streamLink({ input, output: new PassThrough() });
    link.pause();
    const log = new LinkLog();
    link.open(log);
    input.write("a\n");
    await settle();
    assert.deepEqual(log.events, []);
    link.resume();
    await log.has("line a");
    link.pause();
    input.end("b\n");
    await settle();
    assert.deepEqual(log.events, ["line a"]);
    link.resume();
    await log.has("end");
    assert.deepEqual(log.events, ["line a", "line b", "end"]);
  });

  it("a stream link reports lag, and drain when the other side has caught up", async () => {
    const sink = new SlowSink();
    const { link, log } = openOver(new PassThrough(), sink, { lagChars: 10 });
    link.send("first");
    await settle();
    assert.equal(link.send("12345"), true);
    assert.equal(link.send("12345"), false);
    await settle();
    assert.deepEqual(sink.taken, ["first\n"]);
    sink.take();
    await settle();
    assert.deepEqual(sink.taken, ["first\n", "12345\n12345\n"]);
    assert.deepEqual(log.events, []);
    sink.take();
    await log.has("drain");
  });

  it("a stream link closes when the reader does not read, and reports nothing afterwards", async () => {
    const sink = new SlowSink();
    const { link, log } = openOver(new PassThrough(), sink, { lagChars: 10, maxQueuedChars: 50 });
    link.send("first");
    await settle();
    for (let i = 0; i < 50; i++) link.send("12345");
    await log.closed;
    assert.ok(sink.destroyed);
    sink.take();
    await settle();
    assert.deepEqual(log.events, ["close the other side does not read: more than 50 characters wait"]);
  });

  it("a stream link reports an overflow after the other lines of the chunk being read", async () => {
    const input = new Readable({ read() {} });
    const link = streamLink({ input, output: new SlowSink() }, { lagChars: 1, maxQueuedChars: 5 });
    const log = new LinkLog(() => void link.send("an answer that nobody reads"));
    link.open(log);
    link.pause();
    input.push("a\nb\nc\n");
    input.push("d\n");
    link.resume();
    await log.closed;
    await settle();
    assert.match(log.events.at(-1) ?? "", /^close the other side does not read/);
    assert.deepEqual(log.events.slice(0, -1), ["line a", "line b", "line c"]);
  });
});

describe("a stream link over real pipes", () => {
  interface Program {
    readonly stdin: Writable;
    readonly stdout: Readable;
  }

  async function withProgram(code: string, use: (program: Program) => Promise<void>): Promise<void> {
    const child = spawn(process.execPath, ["-e", code], { stdio: ["pipe", "pipe", "inherit"] });
    const exited = once(child, "exit");
    try {
      await use(child);
    } finally {
      child.kill("SIGKILL");
      await exited;
    }
  }

  it("a stream link over real pipes carries more than a pipe holds, in order, both ways", async () => {
    await withProgram("process.stdin.pipe(process.stdout)", async ({ stdin, stdout }) => {
      const { link, log } = openOver(stdout, stdin);
      const lines = Array.from({ length: 3000 }, (_, i) => `${i} ${"é".repeat(i % 500)}`);
      for (const line of lines) link.send(line);
      await log.until(() => log.lines.length === lines.length);
      assert.deepEqual(log.lines, lines);
      link.close("done");
      assert.equal(await log.closed, "done");
    });
  });

  it("a stream link over real pipes closes with a reason when the reader is gone", async () => {
    const deaf =
      "process.stdin.destroy(); require('fs').closeSync(0); console.log('deaf'); setInterval(() => {}, 1000)";
    await withProgram(deaf, async ({ stdin, stdout }) => {
      const { link, log } = openOver(stdout, stdin);
      await log.has("line deaf");
      link.send("anyone?");
      assert.equal(await log.closed, "the other side closed the pipe");
      assert.equal(link.send("anyone?"), false);
      await settle();
      assert.match(log.events.at(-1) ?? "", /^close /);
    });
  });
});

describe("closing a stream link", () => {
  it("closing a stream link sends the queued lines first, however slow the reader", async () => {
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

  it("closing a stream link keeps the queued lines when a line is sent after it", async () => {
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

  it("closing a stream link happens once, with the first reason, and is reported last", async () => {
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

  it("closing a stream link keeps its reason when the pipe breaks before everything is sent", async () => {
    const sink = new SlowSink();
    const { link, log } = openOver(new PassThrough(), sink);
    for (const line of ["a", "b".repeat(300_000)]) link.send(line);
    link.close("done");
    await settle();
    assert.deepEqual(log.events, []);
    sink.destroy(Object.assign(new Error(), { code: "EPIPE" }));
    assert.equal(await log.closed, "done");
  });

  it("closing a stream link releases both streams", async () => {
    const { input, output, link, log } = overPassThrough();
    output.resume();
    link.close("done");
    await log.closed;
    assert.ok(input.destroyed && output.destroyed);
  });
});

describe("streamLink, when a stream breaks", () => {
  it("a stream link closes with the error's code, whether reading or writing failed", async () => {
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

  it("a stream link closes once when both streams fail repeatedly", async () => {
    const { input, output, log } = overPassThrough();
    output.destroy(Object.assign(new Error(), { code: "EPIPE" }));
    input.destroy(Object.assign(new Error(), { code: "ECONNRESET" }));
    await settle();
    input.emit("error", new Error("again"));
    output.emit("error", new Error("again"));
    await settle();
    assert.deepEqual(log.events, ["close the other side closed the pipe"]);
  });

  it("a stream link closes when the output is closed without an error", async () => {
    const { output, log } = overPassThrough();
    output.destroy();
    assert.equal(await log.closed, "the output was closed");
  });

  it("a stream link reports the end of an input that closes without one, and drops its unfinished line", async () => {
    const { input, log } = overPassThrough();
    input.write("a\nunfinis");
    await log.has("line a");
    input.destroy();
    await settle();
    assert.deepEqual(log.events, ["line a", "end"]);
  });

  it("a stream link that is opened after it broke reports the reason once", async () => {
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

  it("a stream link that is opened after its input ended reports the end", async () => {
    const input = new PassThrough();
    const link = streamLink({ input, output: new PassThrough() });
    input.destroy();
    await settle();
    const log = new LinkLog();
    link.open(log);
    await settle();
    assert.deepEqual(log.events, ["end"]);
  });

  it("a stream link survives a write that fails at once", async () => {
    const output = new Writable({ write: (_chunk, _encoding, done) => done(new Error("no")) });
    const { link, log } = openOver(new PassThrough(), output);
    link.send("a");
    link.send("b");
    assert.equal(await log.closed, "writing failed: Error");
    assert.equal(link.send("c"), false);
  });

  it("a stream link survives one duplex stream that ends itself on both sides", async () => {
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
