/**
 * Stream link: lines over Node streams, with the pressure of the other side felt.
 */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { PassThrough, Readable, type Writable } from "node:stream";
import { describe, it } from "node:test";
import { streamLink } from "../../lib/wire/index.ts";
import { LinkLog, settle } from "../support/link-log.ts";
import { openOver, overPassThrough, SlowSink } from "../support/streams.ts";

describe("streamLink", () => {
  it("reads lines and writes lines, those of one tick in one write", async () => {
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

  it("hands over a last line without a newline, then tells the end, and may still send", async () => {
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

  it("reports bad lines and reads on", async () => {
    const { input, log } = overPassThrough({ maxLineBytes: 4 });
    input.write(Buffer.from([0xff, 0x0a]));
    input.write("12345\nok\n");
    await log.has("line ok");
    assert.deepEqual(log.events, ["fault invalid-utf8", "fault too-long", "line ok"]);
  });

  it("reads a stream whose encoding was set", async () => {
    const input = new PassThrough().setEncoding("utf8");
    const { log } = openOver(input, new PassThrough());
    for (const byte of Buffer.from("é\n{}\n")) input.write(Uint8Array.of(byte));
    await log.has("line {}");
    assert.deepEqual(log.lines, ["é", "{}"]);
  });

  it("reads nothing while paused, also when paused before it is open", async () => {
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

  it("answers that the other side lags and tells when it has caught up", async () => {
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

  it("gives up on a reader that does not read, and says nothing after", async () => {
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

  it("gives up last of all, after the other lines of the chunk it was reading", async () => {
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

  it("carries more than a pipe holds, in order, both ways", async () => {
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

  it("ends with a reason when the reader is gone", async () => {
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
