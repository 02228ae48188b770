/**
 * Specs of the order of messages: the read loop waits for no handler, and messages leave
 * in the order they are sent.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { gate, peerOverRaw, peerPair, testRouter } from "../support/rpc/peer-pair.ts";
import { quiet } from "../support/rpc/raw-peer.ts";

describe("the read loop", () => {
  it("the read loop does not wait for a request's handler: a handler that needs a later notification gets it", async () => {
    const later = gate<unknown>();
    const [left] = peerPair({}, { work: () => later.opened, stir: (params) => later.open(params) });
    const call = left.call("work", {});
    left.notify("stir", { now: true });
    assert.deepEqual(await call, { now: true });
  });

  it("the read loop does not wait for a request's handler: a handler that needs a later request gets it", async () => {
    const later = gate<unknown>();
    const [left] = peerPair({}, { work: () => later.opened, echo: (params) => (later.open(params), params) });
    const first = left.call("work", {});
    await left.call("echo", { now: true });
    assert.deepEqual(await first, { now: true });
  });

  it("the read loop does not wait for a notification's handler: a handler that needs a later request gets it", async () => {
    const later = gate<unknown>();
    const received = gate<unknown>();
    const stir = async (): Promise<void> => received.open(await later.opened);
    const [left] = peerPair({}, { stir, work: (params) => later.open(params) });
    left.notify("stir", {});
    await left.call("work", { now: true });
    assert.deepEqual(await received.opened, { now: true });
  });

  it("the read loop lets a handler call back the peer that waits for it, at several levels", async () => {
    const down = async (peer: () => typeof left, params: unknown): Promise<number> => {
      const [depth = 0] = params as number[];
      return depth === 0 ? 0 : 1 + Number(await peer().call("work", [depth - 1]));
    };
    const [left, right] = peerPair(
      { work: (params) => down(() => left, params) },
      { work: (params) => down(() => right, params) },
    );
    assert.equal(await left.call("work", [50]), 50);
  });

  it("responses are sent in the order in which handlers end, not in which requests came", async () => {
    const slow = gate<string>();
    const { far } = peerOverRaw(testRouter({ work: () => slow.opened }));
    far.say('{"jsonrpc":"2.0","id":1,"method":"work"}');
    far.say('{"jsonrpc":"2.0","id":2,"method":"echo","params":[]}');
    assert.equal(await far.next(), '{"jsonrpc":"2.0","id":2,"result":[]}');
    slow.open("slow");
    assert.equal(await far.next(), '{"jsonrpc":"2.0","id":1,"result":"slow"}');
  });
});

describe("messages sent by a handler", () => {
  it("a message that a handler sends before it returns leaves before the response", async () => {
    const { peer, far } = peerOverRaw(
      testRouter({
        work: async () => {
          peer.notify("tell", { text: "1" });
          await quiet();
          peer.notify("tell", { text: "2" });
          peer.sendEncoded('{"jsonrpc":"2.0","method":"tell","params":{"text":"3"}}');
          return "answer";
        },
      }),
    );
    far.say('{"jsonrpc":"2.0","id":1,"method":"work"}');
    assert.deepEqual(await far.take(4), [
      '{"jsonrpc":"2.0","method":"tell","params":{"text":"1"}}',
      '{"jsonrpc":"2.0","method":"tell","params":{"text":"2"}}',
      '{"jsonrpc":"2.0","method":"tell","params":{"text":"3"}}',
      '{"jsonrpc":"2.0","id":1,"result":"answer"}',
    ]);
  });

  it("a message that a handler sends before it returns is handled by the caller before its call is answered", async () => {
    const received: unknown[] = [];
    const pair = peerPair(
      { stir: (params) => void received.push(params) },
      { work: () => (pair[1].notify("stir", ["before"]), "answer") },
    );
    assert.equal(await pair[0].call("work", {}), "answer");
    assert.deepEqual(received, [["before"]]);
  });
});

describe("a call that cannot be encoded", () => {
  it("a call that cannot be encoded fails alone, and the next call is sent", async () => {
    const cyclic: { self?: unknown } = {};
    cyclic.self = cyclic;
    const [left] = peerPair();
    await assert.rejects(left.call("echo", cyclic), TypeError);
    await assert.rejects(left.call("echo", 1n, { signal: new AbortController().signal }), TypeError);
    assert.deepEqual(await left.call("echo", [1]), [1]);
  });
});
