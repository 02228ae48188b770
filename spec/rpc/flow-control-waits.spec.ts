/**
 * Specs of when flow control stops the reading: for a slow handler, and never for a
 * handler that may be waiting for something still to be read.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Peer, type PeerOptions } from "../../lib/rpc/index.ts";
import { isRecord } from "../../lib/schema/index.ts";
import { gate, peerPair, type TestHandlers, testRouter } from "../support/rpc/peer-pair.ts";
import { quiet } from "../support/rpc/raw-peer.ts";
import { StubLink } from "../support/wire/stub-link.ts";

const tell = (session: string): string => `{"jsonrpc":"2.0","method":"tell","params":{"session":"${session}"}}`;
const sequenceOf = (params: unknown): string => (isRecord(params) ? String(params["session"]) : "");

describe("slow notification handlers", () => {
  it("slow notification handlers stop the reading also when each has a sequence of its own", async () => {
    const stuck = gate();
    const { link } = overStub({ tell: () => stuck.opened });
    for (const session of ["a", "b", "c"]) link.say(tell(session));
    assert.equal(link.isPaused, false);
    link.say(tell("d"));
    assert.equal(link.isPaused, true);
    stuck.open();
    await quiet();
    assert.equal(link.isPaused, false);
  });
});

describe("urgent notifications with slow handlers", () => {
  it("urgent notifications with slow handlers do not wait, but stop the reading like others", async () => {
    const stuck = gate();
    let running = 0;
    const { link } = overStub({ hurry: () => (running++, stuck.opened) });
    for (let i = 0; i < 4; i++) link.say('{"jsonrpc":"2.0","method":"hurry"}');
    assert.deepEqual([running, link.isPaused], [4, true]);
    stuck.open();
    await quiet();
    assert.equal(link.isPaused, false);
  });
});

describe("a notification handler that calls the peer", () => {
  it("a notification handler that calls the peer gets its response although the cap is full of notifications before it", async () => {
    const answers: unknown[] = [];
    const all = gate();
    const [left, right] = peerPair(
      {},
      {
        tell: async ({ text }) => {
          answers.push(await right.call("echo", [text]));
          if (answers.length === 50) all.open();
        },
      },
      { maxWaiting: 3 },
    );
    for (let i = 0; i < 50; i++) left.notify("tell", { text: String(i) });
    await all.opened;
    assert.deepEqual(
      answers,
      Array.from({ length: 50 }, (_, i) => [String(i)]),
    );
  });

  it("a notification handler that calls the peer keeps the reading open while its call waits, and no longer", async () => {
    const first = gate();
    const second = gate();
    const { link, peer } = overStub({
      tell: async () => {
        await first.opened;
        await peer.call("work", {});
        await second.opened;
      },
    });
    fill(link, "a");
    assert.equal(link.isPaused, true);
    first.open();
    await quiet();
    assert.equal(link.isPaused, false);
    link.say('{"jsonrpc":"2.0","id":1,"result":1}');
    assert.equal(link.isPaused, true);
    second.open();
    await quiet();
    assert.equal(link.isPaused, false);
  });

  it("a notification handler that calls the peer stops the reading again when it aborts its call", async () => {
    const stuck = gate();
    const abort = new AbortController();
    const { link, peer } = overStub({
      tell: async () => {
        await assert.rejects(peer.call("work", {}, { signal: abort.signal }));
        await stuck.opened;
      },
    });
    fill(link, "a");
    assert.equal(link.isPaused, false);
    abort.abort();
    assert.equal(link.isPaused, true);
  });

  it("a slow notification handler stops the reading although an older call waits", async () => {
    const { link, peer } = overStub({ tell: () => gate().opened });
    const prompt = peer.call("work", {});
    fill(link, "a");
    assert.equal(link.isPaused, true);
    peer.close();
    await assert.rejects(prompt);
  });

  it("a slow notification handler stops the reading although the handler before it made a call", async () => {
    const first = gate();
    const { link, peer } = overStub({ tell: ({ text }) => (text === "0" ? first.opened : gate().opened) });
    link.say('{"jsonrpc":"2.0","method":"tell","params":{"session":"a","text":"0"}}');
    const prompt = peer.call("work", {});
    fill(link, "a");
    assert.equal(link.isPaused, false);
    first.open();
    await quiet();
    link.say(tell("a"));
    assert.equal(link.isPaused, true);
    peer.close();
    await assert.rejects(prompt);
  });

  it("a notification handler that calls the peer keeps the reading open for a handler of another sequence that waits for it", async () => {
    const called = gate();
    const { link, peer } = overStub({
      tell: async ({ session }) => {
        if (session === "waiting") await called.opened;
        else called.open(void (await peer.call("work", {})));
      },
    });
    link.say(tell("calling"));
    fill(link, "waiting");
    assert.equal(link.isPaused, false);
    link.say('{"jsonrpc":"2.0","id":1,"result":1}');
    await called.opened;
  });
});

describe("a notification handler that waits to write", () => {
  it("a notification handler that waits to write keeps the reading open until the other side has caught up", async () => {
    const first = gate();
    const second = gate();
    const { link, peer } = overStub({
      tell: async () => {
        await first.opened;
        await peer.whenWritable();
        await second.opened;
      },
    });
    fill(link, "a");
    link.isLagging = true;
    peer.notify("stir", []);
    assert.equal(link.isPaused, true);
    first.open();
    await quiet();
    assert.equal(link.isPaused, false);
    link.drain();
    assert.equal(link.isPaused, true);
    second.open();
    await quiet();
    assert.equal(link.isPaused, false);
  });
});

describe("responses that pile up", () => {
  const request = '{"jsonrpc":"2.0","id":1,"method":"echo","params":[]}';

  it("responses that pile up stop the reading until the other side has caught up", () => {
    const { link } = overStub();
    link.isLagging = true;
    link.say(request);
    assert.equal(link.isPaused, true);
    link.drain();
    assert.equal(link.isPaused, false);
  });

  it("responses that pile up do not stop the reading while the peer owes us a response, also to an aborted call", async () => {
    const { link, peer } = overStub();
    const abort = new AbortController();
    const call = peer.call("work", {}, { signal: abort.signal });
    link.isLagging = true;
    link.say(request);
    assert.equal(link.isPaused, false);
    abort.abort();
    await assert.rejects(call);
    assert.equal(link.isPaused, false);
    link.say('{"jsonrpc":"2.0","id":1,"error":{"code":-32800,"message":"cancelled"}}');
    assert.equal(link.isPaused, true);
    const next = peer.call("work", {});
    assert.equal(link.isPaused, false);
    peer.close();
    await assert.rejects(next);
  });

  it("notifications of ours that pile up do not stop the reading", () => {
    const { link, peer } = overStub();
    link.isLagging = true;
    assert.equal(peer.notify("stir", []), false);
    assert.equal(link.isPaused, false);
  });
});

describe("a peer that closes while its reading is stopped", () => {
  it("a peer that closes while its reading is stopped lets the other side send the rest and end, and ignores it", async () => {
    const received: unknown[] = [];
    const { link, peer } = overStub({
      tell: (params) => (received.push(params), gate().opened),
      work: () => received.push("work"),
    });
    fill(link, "a");
    assert.equal(link.isPaused, true);
    peer.close("enough");
    assert.deepEqual([link.isPaused, link.closeReason], [false, "enough"]);
    const sent = link.sent.length;
    for (const line of [tell("b"), "garbage", '{"jsonrpc":"2.0","id":1,"method":"work"}']) link.say(line);
    assert.equal(peer.notify("stir", []), false);
    assert.equal(peer.sendEncoded("{}"), false);
    assert.deepEqual([received.length, link.sent.length, link.isPaused], [1, sent, false]);
    link.finish("a later reason");
    assert.equal(await peer.closed, "enough");
    await assert.rejects(peer.whenWritable(), { reason: "enough" });
    await peer.settled;
  });
});

/** A peer that stops reading when three notifications wait. */
function overStub(handlers: TestHandlers = {}, options: PeerOptions = {}) {
  const link = new StubLink();
  return { link, peer: new Peer(link, testRouter(handlers), { maxWaiting: 3, sequenceOf, ...options }) };
}

/** One notification that runs and three that wait. */
function fill(link: StubLink, session: string): void {
  for (let i = 0; i < 4; i++) link.say(tell(session));
}
