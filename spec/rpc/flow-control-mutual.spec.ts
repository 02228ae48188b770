/**
 * Specs of flow control between two peers that both send as fast as they can: neither
 * deadlocks.
 */
import assert from "node:assert/strict";
import { PassThrough } from "node:stream";
import { describe, it } from "node:test";
import { ConnectionClosed, Peer } from "../../lib/rpc/index.ts";
import { type Link, memoryPair, streamLink } from "../../lib/wire/index.ts";
import { gate, peerPair, testRouter } from "../support/rpc/peer-pair.ts";
import { quiet } from "../support/rpc/raw-peer.ts";

const text = "x".repeat(500);
const narrow = { lagChars: 1000 };
const count = 300;

/** The two ends of a connection with a low lag limit. */
const carriers: readonly (readonly [name: string, pair: () => readonly [Link, Link]])[] = [
  ["memory links", () => memoryPair(narrow)],
  ["streams", streamPair],
];

for (const [name, pair] of carriers) {
  describe(`two peers over ${name}`, () => {
    it(`two peers over ${name} flood each other with requests, and each is answered`, async () => {
      const [near, far] = pair();
      const router = testRouter({ work: async (params) => (await quiet(), params) });
      const peers = [new Peer(near, router), new Peer(far, router)];
      const calls = peers.flatMap((peer) =>
        Array.from({ length: count }, (_, i) => peer.call(i % 2 === 0 ? "echo" : "work", { i, text })),
      );
      const answers = await Promise.all(calls);
      assert.ok(answers.every((answer, i) => (answer as { readonly i: number }).i === i % count));
    });

    it(`two peers over ${name} flood each other with requests and abort them all, and each is still served`, async () => {
      const [near, far] = pair();
      let served = 0;
      const router = testRouter({ work: () => (served++, text) });
      const peers = [new Peer(near, router), new Peer(far, router)];
      const callbacks: Promise<void>[] = [];
      for (let i = 0; i < count; i++) {
        for (const peer of peers) {
          const abort = new AbortController();
          callbacks.push(assert.rejects(peer.call("work", { text }, { signal: abort.signal }), { code: -32800 }));
          abort.abort();
        }
      }
      await Promise.all(callbacks);
      for (const peer of peers) assert.deepEqual(await peer.call("echo", [1]), [1]);
      assert.equal(served, 2 * count);
    });

    it(`two peers over ${name} flood each other with notifications whose handlers wait to send more, and all arrive`, async () => {
      const [near, far] = pair();
      let left = 2 * count * 3;
      const done = gate();
      const start = (link: Link): Peer => {
        const peer: Peer = new Peer(
          link,
          testRouter({
            stir: async (params) => {
              const { hops } = params as { readonly hops: number };
              await peer.whenWritable();
              if (hops > 1) peer.notify("stir", { hops: hops - 1, text });
              if (--left === 0) done.open();
            },
          }),
          { maxWaiting: 4 },
        );
        return peer;
      };
      const flood = async (peer: Peer): Promise<void> => {
        for (let i = 0; i < count; i++) {
          await peer.whenWritable();
          peer.notify("stir", { hops: 3, text });
        }
      };
      await Promise.all([start(near), start(far)].map(flood));
      await done.opened;
      assert.equal(left, 0);
    });

    it(`two peers over ${name} flood each other with notifications whose handlers call back, and all arrive`, async () => {
      const [near, far] = pair();
      let left = 2 * count;
      const done = gate();
      const start = (link: Link): Peer => {
        const peer: Peer = new Peer(
          link,
          testRouter({
            stir: async (params) => {
              await peer.call("echo", params);
              if (--left === 0) done.open();
            },
          }),
          { maxWaiting: 4 },
        );
        return peer;
      };
      const peers = [start(near), start(far)];
      for (let i = 0; i < count; i++) for (const peer of peers) peer.notify("stir", { i, text });
      await done.opened;
      assert.equal(left, 0);
    });
  });
}

describe("whenWritable", () => {
  it("whenWritable resolves at once while the other side keeps up", async () => {
    const [left] = peerPair({}, { stir: () => {} });
    assert.equal(left.notify("stir", []), true);
    await left.whenWritable();
  });

  it("whenWritable waits after notify returned false, and resolves when the other side has caught up", async () => {
    const [near, far] = memoryPair(narrow);
    const left = new Peer(near, testRouter());
    assert.equal(left.notify("stir", [text, text]), false);
    let isWritable = false;
    const writable = left.whenWritable().then(() => (isWritable = true));
    await quiet();
    assert.equal(isWritable, false);
    const received: unknown[] = [];
    const right = new Peer(far, testRouter({ stir: (params) => void received.push(params) }));
    await writable;
    assert.equal(left.notify("stir", ["more"]), true);
    await left.call("echo", {});
    assert.deepEqual(received, [[text, text], ["more"]]);
    assert.equal(right.isOpen, true);
  });

  it("whenWritable resolves for all waiters, in their order", async () => {
    const [near, far] = memoryPair(narrow);
    const left = new Peer(near, testRouter());
    left.notify("stir", [text, text]);
    const woken: number[] = [];
    const waits = [1, 2, 3].map((n) => left.whenWritable().then(() => woken.push(n)));
    const right = new Peer(far, testRouter({ stir: () => {} }));
    await Promise.all(waits);
    assert.deepEqual([woken, right.isOpen], [[1, 2, 3], true]);
  });

  it("whenWritable rejects for all waiters when the connection closes", async () => {
    const [near] = memoryPair(narrow);
    const left = new Peer(near, testRouter());
    left.notify("stir", [text, text]);
    const waits = [1, 2].map(() => assert.rejects(left.whenWritable(), new ConnectionClosed("enough")));
    left.close("enough");
    await Promise.all(waits);
  });
});

function streamPair(): readonly [Link, Link] {
  const there = new PassThrough({ highWaterMark: 1000 });
  const back = new PassThrough({ highWaterMark: 1000 });
  return [streamLink({ input: back, output: there }, narrow), streamLink({ input: there, output: back }, narrow)];
}
