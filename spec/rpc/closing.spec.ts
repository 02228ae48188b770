/**
 * Specs of closing a connection: every waiting call fails once, every handler is
 * aborted, and requests received before the end are still answered.
 */
import assert from "node:assert/strict";
import { PassThrough, Writable } from "node:stream";
import { describe, it } from "node:test";
import { type Call, ConnectionClosed, Peer } from "../../lib/rpc/index.ts";
import { streamLink } from "../../lib/wire/index.ts";
import { gate, peerOverRaw, peerPair, testRouter } from "../support/rpc/peer-pair.ts";
import { quiet } from "../support/rpc/raw-peer.ts";

const request = '{"jsonrpc":"2.0","id":1,"method":"work"}';
const eof = "the other side closed the connection";

describe("the other side's end", () => {
  it("the end of the other side fails every waiting call once, with the reason, and every later call at once", async () => {
    const { peer, far } = peerOverRaw();
    const calls = [1, 2, 3].map((n) => peer.call("work", [n]));
    await far.take(3);
    far.close();
    for (const call of calls) await assert.rejects(call, new ConnectionClosed(eof));
    assert.equal(peer.isOpen, false);
    await assert.rejects(peer.call("work", {}), new ConnectionClosed(eof));
    assert.equal(peer.notify("tell", {}), false);
    await assert.rejects(peer.whenWritable(), new ConnectionClosed(eof));
    assert.equal(await peer.closed, eof);
    await peer.settled;
  });

  it("the end of the other side aborts every running handler", async () => {
    const reasons: string[] = [];
    const work = (_params: unknown, { signal }: Call): Promise<void> =>
      new Promise((resolve) =>
        signal.addEventListener("abort", () => {
          reasons.push(String(signal.reason));
          resolve();
        }),
      );
    const { peer, far } = peerOverRaw(testRouter({ work }));
    far.say(request);
    far.say(request);
    await quiet();
    far.close();
    await peer.settled;
    assert.deepEqual(reasons, [`RpcError: ${eof}`, `RpcError: ${eof}`]);
  });

  it("the end of the other side sends no response in place of a handler: settled waits for the last handler", async () => {
    const gates = [gate(), gate()];
    let next = 0;
    const { peer, far } = peerOverRaw(testRouter({ work: () => gates[next++]?.opened }));
    let isSettled = false;
    void peer.settled.then(() => (isSettled = true));
    far.say(request);
    far.say(request);
    await quiet();
    far.close();
    assert.equal(await peer.closed, eof);
    gates[0]?.open();
    await quiet();
    assert.equal(isSettled, false);
    gates[1]?.open();
    await peer.settled;
  });
});

describe("EOF right behind a request", () => {
  for (const [name, work] of [
    ["at once", () => "answer"],
    ["later", async () => (await quiet(), "answer")],
  ] as const) {
    it(`EOF right behind a request lets a handler that answers ${name} answer before the link closes`, async () => {
      const { input, output, peer } = overStreams({ work });
      input.end(`${request}\n`);
      await peer.settled;
      assert.equal(String(output.read()), '{"jsonrpc":"2.0","id":1,"result":"answer"}\n');
      assert.equal(output.readableEnded || output.writableEnded, true);
    });
  }

  it("EOF right behind requests lets a last line without newline, and many requests, be answered once each", async () => {
    const { input, output, peer } = overStreams({ work: async (params) => (await quiet(), params) });
    const lines = Array.from(
      { length: 50 },
      (_, id) => `{"jsonrpc":"2.0","id":${id},"method":"work","params":[${id}]}`,
    );
    input.end(lines.join("\n"));
    await peer.settled;
    const answers = String(output.read()).trimEnd().split("\n");
    assert.deepEqual(
      answers,
      lines.map((_, id) => `{"jsonrpc":"2.0","id":${id},"result":[${id}]}`),
    );
  });

  it("EOF right behind a request lets the handler's messages leave before its response", async () => {
    const { input, output, peer } = overStreams({
      work: async (): Promise<string> => {
        await quiet();
        peer.notify("tell", { text: "before" });
        return "answer";
      },
    });
    input.end(`${request}\n`);
    await peer.settled;
    assert.deepEqual(String(output.read()).split("\n"), [
      '{"jsonrpc":"2.0","method":"tell","params":{"text":"before"}}',
      '{"jsonrpc":"2.0","id":1,"result":"answer"}',
      "",
    ]);
  });

  it("EOF right behind a request fails a call that the handler makes then, and the request is still answered", async () => {
    const { input, output, peer } = overStreams({ work: async () => (await quiet(), peer.call("work", {})) });
    input.end(`${request}\n`);
    await peer.settled;
    assert.match(String(output.read()), /^{"jsonrpc":"2.0","id":1,"error":{"code":-32800,/);
  });
});

describe("close", () => {
  it("close fails waiting calls, aborts running handlers, and reports to both sides", async () => {
    const aborted = gate();
    const work = (_params: unknown, { signal }: Call): Promise<void> =>
      new Promise((resolve) => signal.addEventListener("abort", () => (aborted.open(), resolve())));
    const [left, right] = peerPair({ work }, { work });
    const calls = [left.call("work", {}), right.call("work", {})];
    await quiet();
    left.close("enough");
    await assert.rejects(calls[0] ?? aborted.opened, new ConnectionClosed("enough"));
    await assert.rejects(calls[1] ?? aborted.opened, new ConnectionClosed(eof));
    await aborted.opened;
    assert.deepEqual([await left.closed, await right.closed], ["enough", eof]);
    await Promise.all([left.settled, right.settled]);
  });

  it("close sends the lines queued before it, and nothing that is sent after it", async () => {
    const written: string[] = [];
    const output = new Writable({
      write(chunk, _encoding, done) {
        written.push(String(chunk));
        setImmediate(done);
      },
    });
    const peer = new Peer(streamLink({ input: new PassThrough(), output }), testRouter());
    peer.notify("tell", { text: "one" });
    await new Promise(process.nextTick);
    peer.notify("tell", { text: "two" });
    peer.close("enough");
    assert.equal(peer.notify("tell", { text: "three" }), false);
    await peer.settled;
    assert.deepEqual(written.join("").match(/"text":"\w+"/g), ['"text":"one"', '"text":"two"']);
  });

  it("close makes the peer ignore requests that arrive after it", async () => {
    const served: unknown[] = [];
    const { peer, far } = peerOverRaw(testRouter({ stir: () => peer.close(), work: () => void served.push("work") }));
    far.say('{"jsonrpc":"2.0","method":"stir"}');
    far.say(request);
    far.say('{"jsonrpc":"2.0","method":"stir"}');
    far.say("garbage");
    await peer.settled;
    await far.ended;
    assert.deepEqual([served, far.waiting], [[], []]);
  });

  it("close is settled only when the last handler has ended, though its response is lost", async () => {
    const running = gate();
    const { peer, far } = peerOverRaw(testRouter({ work: () => running.opened }));
    let isSettled = false;
    void peer.settled.then(() => (isSettled = true));
    far.say(request);
    await quiet();
    peer.close();
    await far.ended;
    await quiet();
    assert.equal(isSettled, false);
    running.open();
    await peer.settled;
    assert.deepEqual(far.waiting, []);
  });

  it("close counts once, with the first reason", async () => {
    const { peer } = peerOverRaw();
    const call = peer.call("work", {});
    peer.close("first");
    peer.close("second");
    await assert.rejects(call, new ConnectionClosed("first"));
    assert.equal(await peer.closed, "first");
    await peer.settled;
  });

  it("close can be called by a handler, within its own request", async () => {
    const { peer, far } = peerOverRaw(
      testRouter({ work: (_params, { signal }) => (peer.close("bye"), signal.aborted) }),
    );
    far.say(request);
    await peer.settled;
    assert.equal(await peer.closed, "bye");
  });
});

describe("a broken pipe", () => {
  it("a broken pipe fails every waiting call, aborts every handler, and throws nothing", async () => {
    const input = new PassThrough();
    const broken = Object.assign(new Error("write EPIPE"), { code: "EPIPE" });
    const output = new Writable({ write: (_chunk, _encoding, done) => done(broken) });
    const aborted = gate();
    const work = (_params: unknown, { signal }: Call): Promise<void> =>
      new Promise((resolve) => signal.addEventListener("abort", () => (aborted.open(), resolve())));
    const peer = new Peer(streamLink({ input, output }), testRouter({ work }));
    input.write(`${request}\n`);
    await quiet();
    const call = peer.call("work", {});
    const writable = peer.whenWritable();
    await assert.rejects(call, new ConnectionClosed("the other side closed the pipe"));
    await aborted.opened;
    await writable;
    await assert.rejects(peer.whenWritable(), ConnectionClosed);
    await peer.settled;
  });

  it("a connection is closed when the other side never reads and too much is queued", async () => {
    const { peer, far } = peerOverRaw(testRouter(), {}, { lagChars: 100, maxQueuedChars: 1000 });
    const closed = new ConnectionClosed("the other side does not read: more than 1000 characters wait");
    far.pause();
    const text = "x".repeat(200);
    assert.equal(peer.notify("tell", { text }), false);
    const reported = [assert.rejects(peer.call("work", {}), closed), assert.rejects(peer.whenWritable(), closed)];
    for (let i = 0; peer.isOpen && i < 100; i++) {
      peer.notify("tell", { text });
      await quiet();
    }
    await Promise.all(reported);
    assert.equal(await peer.closed, closed.reason);
  });
});

function overStreams(handlers: Parameters<typeof testRouter>[0]) {
  const input = new PassThrough();
  const output = new PassThrough();
  return { input, output, peer: new Peer(streamLink({ input, output }), testRouter(handlers)) };
}
