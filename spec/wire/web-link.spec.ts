/**
 * Specs of links over web streams of bytes and of messages.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Link, type LinkLimits, webLink, webMessageLink } from "../../lib/wire/index.ts";
import { LinkLog, settle } from "../support/wire/link-log.ts";

/** A link, and the far ends of its two streams. */
interface Bench<T> {
  readonly link: Link;
  readonly log: LinkLog;
  readonly input: WritableStreamDefaultWriter<T>;
  readonly output: ReadableStreamDefaultReader<T>;
}

function bench<T>(make: (streams: { readable: ReadableStream<T>; writable: WritableStream<T> }) => Link): Bench<T> {
  const incoming = new TransformStream<T, T>(undefined, undefined, { highWaterMark: 100 });
  const outgoing = new TransformStream<T, T>();
  const link = make({ readable: incoming.readable, writable: outgoing.writable });
  const log = new LinkLog();
  link.open(log);
  return { link, log, input: incoming.writable.getWriter(), output: outgoing.readable.getReader() };
}

const overBytes = (limits: LinkLimits = {}): Bench<Uint8Array> => bench((streams) => webLink(streams, limits));
const overMessages = (): Bench<object> => bench((streams) => webMessageLink(streams));

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

/** Reads the far side to its end, as text. */
async function readText({ output }: Bench<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for (;;) {
    const { done, value } = await output.read();
    if (done) return text;
    text += decoder.decode(value, { stream: true });
  }
}

describe("webLink", () => {
  it("a web link reads lines however they are cut and writes them in order", async () => {
    const given = overBytes();
    const { link, log, input } = given;
    for (const byte of bytes("a\né\n{}\n")) await input.write(Uint8Array.of(byte));
    await log.has("line {}");
    assert.deepEqual(log.lines, ["a", "é", "{}"]);
    const lines = Array.from({ length: 100 }, (_, i) => `${i} ${"é".repeat(i)}`);
    for (const line of lines) link.send(line);
    link.close("done");
    assert.equal(await readText(given), lines.map((line) => `${line}\n`).join(""));
    assert.equal(await log.closed, "done");
  });

  it("a web link emits a last line without a newline, then the end, and may still send", async () => {
    const { link, log, input, output } = overBytes();
    await input.write(bytes("a\nlast"));
    await input.close();
    await log.has("end");
    assert.deepEqual(log.events, ["line a", "line last", "end"]);
    link.send("answer");
    assert.deepEqual((await output.read()).value, bytes("answer\n"));
  });

  it("a web link reports bad lines and reads on", async () => {
    const { log, input } = overBytes({ maxLineBytes: 4 });
    void input.write(Uint8Array.of(0xff, 0x0a));
    void input.write(bytes("12345\nok\n"));
    await log.has("line ok");
    assert.deepEqual(log.events, ["fault invalid-utf8", "fault too-long", "line ok"]);
  });

  it("a web link emits nothing while paused, not even a chunk it has already requested", async () => {
    const { link, log, input } = overBytes();
    await settle();
    link.pause();
    void input.write(bytes("a\n"));
    void input.write(bytes("b\n"));
    void input.close();
    await settle();
    assert.deepEqual(log.events, []);
    link.resume();
    link.pause();
    await settle();
    assert.deepEqual(log.events, []);
    link.resume();
    await log.has("end");
    assert.deepEqual(log.events, ["line a", "line b", "end"]);
  });

  it("a web link puts backpressure on the other side while paused", async () => {
    const { link, input } = overBytes();
    link.pause();
    const sent = Array.from({ length: 150 }, () => input.write(bytes("a\n")));
    await settle();
    assert.ok((input.desiredSize ?? 0) < 0);
    link.resume();
    await Promise.all(sent);
  });

  it("a web link reports lag, and drain when the other side has caught up", async () => {
    const { link, log, output } = overBytes({ lagChars: 10 });
    link.send("first");
    await settle();
    assert.equal(link.send("12345"), true);
    assert.equal(link.send("12345"), false);
    await settle();
    assert.deepEqual(log.events, []);
    assert.deepEqual((await output.read()).value, bytes("first\n"));
    assert.deepEqual((await output.read()).value, bytes("12345\n12345\n"));
    await log.has("drain");
  });

  it("a web link closes when the reader does not read, and reports that last", async () => {
    const { link, log, input } = overBytes({ lagChars: 10, maxQueuedChars: 50 });
    link.send("first");
    await settle();
    for (let i = 0; i < 50; i++) link.send("12345");
    await log.closed;
    void input.write(bytes("late\n")).catch(() => {});
    await settle();
    assert.deepEqual(log.events, ["close the other side does not read: more than 50 characters wait"]);
  });
});

describe("closing a web link", () => {
  it("closing a web link sends the queued lines first, however slow the reader, and nothing sent afterwards", async () => {
    const given = overBytes();
    const { link, log } = given;
    for (const line of ["a", "b".repeat(300_000), "c".repeat(300_000)]) link.send(line);
    link.close("done");
    assert.equal(link.send("late"), false);
    await settle();
    assert.deepEqual(log.events, []);
    assert.equal(await readText(given), `a\n${"b".repeat(300_000)}\n${"c".repeat(300_000)}\n`);
    assert.equal(await log.closed, "done");
  });

  it("closing a web link drops an unfinished line and is reported last", async () => {
    const given = overBytes();
    const { link, log, input } = given;
    await input.write(bytes("a\nunfinis"));
    await log.has("line a");
    link.close("first");
    link.close("second");
    await readText(given);
    await log.closed;
    await settle();
    assert.deepEqual(log.events, ["line a", "close first"]);
  });

  it("closing a web link works while it is paused", async () => {
    const given = overBytes();
    const { link, log, input } = given;
    link.pause();
    void input.write(bytes("a\n")).catch(() => {});
    await settle();
    link.close("done");
    await readText(given);
    assert.equal(await log.closed, "done");
    link.resume();
    await settle();
    assert.deepEqual(log.events, ["close done"]);
  });

  it("a closed web link reports the close once when it is opened later", async () => {
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    const link = webLink({ readable: new ReadableStream(), writable });
    link.close("before it was open");
    await readable.getReader().read();
    await settle();
    const log = new LinkLog();
    link.open(log);
    await settle();
    assert.deepEqual(log.events, ["close before it was open"]);
  });
});

describe("webLink, when a stream breaks", () => {
  it("a web link closes with the error's name when reading fails", async () => {
    const { log, input } = overBytes();
    await input.abort(new RangeError("secret detail"));
    assert.equal(await log.closed, "reading failed: RangeError");
    await settle();
    assert.equal(log.events.length, 1);
  });

  it("a web link closes with the error's name when writing fails", async () => {
    const { link, log, output } = overBytes();
    await output.cancel(new RangeError("secret detail"));
    link.send("a");
    assert.equal(await log.closed, "writing failed: RangeError");
    assert.equal(link.send("b"), false);
    await settle();
    assert.equal(log.events.length, 1);
  });

  it("a web link closes when the sink throws in the middle of a write", async () => {
    const writable = new WritableStream<Uint8Array>({ write: () => Promise.reject(new TypeError("no")) });
    const link = webLink({ readable: new ReadableStream(), writable });
    const log = new LinkLog();
    link.open(log);
    link.send("a");
    link.send("b");
    assert.equal(await log.closed, "writing failed: TypeError");
  });

  it("a web link closes when a chunk is not a byte array", async () => {
    const readable = new ReadableStream<Uint8Array>({
      // @ts-expect-error a stream may carry chunks that its type excludes
      start: (controller) => controller.enqueue({ not: "bytes" }),
    });
    const link = webLink({ readable, writable: new WritableStream() });
    const log = new LinkLog();
    link.open(log);
    assert.equal(await log.closed, "reading failed: TypeError");
  });
});

describe("webMessageLink", () => {
  it("a web message link turns lines into messages and messages into lines", async () => {
    const { link, log, input, output } = overMessages();
    link.send('{"id":1,"text":"a\\nb"}');
    link.send("[2]");
    assert.deepEqual((await output.read()).value, { id: 1, text: "a\nb" });
    assert.deepEqual((await output.read()).value, [2]);
    await input.write({ id: 2, text: "c\nd", left: undefined });
    await input.close();
    await log.has("end");
    assert.deepEqual(log.lines, ['{"id":2,"text":"c\\nd"}']);
  });

  it("a web message link closes, and throws nothing, when a line is not a message", async () => {
    const { link, log } = overMessages();
    link.send("not JSON");
    assert.equal(await log.closed, "writing failed: SyntaxError");
  });

  it("a web message link loses nothing and keeps the order when the reader takes one message at a time", async () => {
    const { link, log, output } = overMessages();
    for (let i = 0; i < 1000; i++) link.send(JSON.stringify({ i }));
    link.close("done");
    for (let i = 0; i < 1000; i++) assert.deepEqual((await output.read()).value, { i });
    assert.ok((await output.read()).done);
    assert.equal(await log.closed, "done");
  });
});
