/**
 * Specs of flow control: a slow side makes the other side wait, and no two sides wait
 * for each other.
 *
 * The memory link stops at the line that filled it, so lines taken while paused can be
 * counted.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Peer } from "../../lib/rpc/index.ts";
import { type Link, type LinkCallbacks, memoryPair } from "../../lib/wire/index.ts";
import { gate, peerOverRaw, peerPair, testRouter } from "../support/rpc/peer-pair.ts";
import { quiet } from "../support/rpc/raw-peer.ts";

const tell = (text: number): string => `{"jsonrpc":"2.0","method":"tell","params":{"text":"${text}"}}`;
const echo = (id: number): string => `{"jsonrpc":"2.0","id":${id},"method":"echo","params":[]}`;
const large = "x".repeat(1000);
const narrow = { lagChars: 2000 };

describe("a slow notification handler", () => {
  it("a slow notification handler stops the reading at the cap and starts it again, and nothing is lost", async () => {
    const gates = Array.from({ length: 100 }, () => gate());
    const received: number[] = [];
    const { link, near } = watched();
    const far = link.far;
    const peer = new Peer(
      near,
      testRouter({
        tell: async ({ text }) => {
          received.push(Number(text));
          await gates[Number(text)]?.opened;
        },
      }),
      { maxWaiting: 10 },
    );
    for (let i = 0; i < 100; i++) far.send(tell(i));
    for (const [i, each] of gates.entries()) {
      await quiet();
      assert.equal(received.length, i + 1);
      // One runs, ten wait, and no further line is read.
      assert.equal(link.readCount, Math.min(100, i + 11));
      assert.equal(link.isPaused, i < 90);
      each.open();
    }
    assert.deepEqual(
      received,
      Array.from({ length: 100 }, (_, i) => i),
    );
    assert.equal(peer.isOpen, true);
  });

  it("a slow notification handler makes a sender wait that awaits whenWritable", async () => {
    const stuck = gate();
    let received = 0;
    const [left] = peerPair({}, { stir: () => (received++, stuck.opened) }, { maxWaiting: 4 }, narrow);
    let sent = 0;
    const flood = (async () => {
      for (; sent < 200; sent++) {
        left.notify("stir", [large]);
        await left.whenWritable();
      }
    })();
    await quiet();
    assert.ok(sent < 20, `${sent} were sent`);
    stuck.open();
    await flood;
    await left.call("echo", {});
    await quiet();
    assert.equal(received, 200);
  });

  it("one notification runs at a time when none may wait", async () => {
    const [left] = peerPair({}, { stir: quiet }, { maxWaiting: 0 });
    for (let i = 0; i < 5; i++) left.notify("stir", [i]);
    assert.deepEqual(await left.call("echo", ["alive"]), ["alive"]);
    left.notify("stir", [6]);
    await quiet();
    assert.deepEqual(await left.call("echo", ["still alive"]), ["still alive"]);
  });

  it("a slow notification handler starts the reading as soon as fewer wait, not only when the next handler is done", async () => {
    const received = gate();
    const first = gate();
    const texts: (string | undefined)[] = [];
    const { far } = peerOverRaw(
      testRouter({
        tell: ({ text }) => (texts.push(text), text === "0" ? first.opened : received.opened),
        work: () => received.open(),
      }),
      { maxWaiting: 1 },
    );
    far.say(tell(0));
    far.say(tell(1));
    far.say('{"jsonrpc":"2.0","id":1,"method":"work"}');
    await quiet();
    assert.deepEqual([texts, far.waiting], [["0"], []]);
    first.open();
    assert.equal(await far.next(), '{"jsonrpc":"2.0","id":1,"result":{}}');
  });

  it("a slow notification handler does not stop the reading of the other end", async () => {
    const stuck = gate();
    const [left, right] = peerPair({}, { stir: () => stuck.opened }, { maxWaiting: 2 });
    for (let i = 0; i < 10; i++) left.notify("stir", [i]);
    await quiet();
    assert.deepEqual(await right.call("echo", [1]), [1]);
    stuck.open();
    assert.deepEqual(await left.call("echo", [2]), [2]);
  });
});

describe("a peer that sends requests and does not read its responses", () => {
  it("a peer that sends requests and does not read its responses is paused, and gets every response in order once it reads", async () => {
    let served = 0;
    const router = testRouter({ echo: () => (served++, large) });
    const { far } = peerOverRaw(router, {}, narrow);
    far.pause();
    for (let id = 0; id < 500; id++) {
      far.say(echo(id));
      if (id % 50 === 0) await quiet();
    }
    await quiet();
    assert.ok(served < 60, `${served} were served`);
    far.resume();
    const answers = await far.take(500);
    assert.ok(answers.every((line, id) => line === `{"jsonrpc":"2.0","id":${id},"result":"${large}"}`));
    assert.equal(served, 500);
  });

  it("a peer that sends garbage and does not read its responses is paused", async () => {
    const { far, peer } = peerOverRaw(testRouter(), {}, narrow);
    far.pause();
    for (let i = 0; i < 500; i++) {
      far.say("garbage");
      if (i % 50 === 0) await quiet();
    }
    await quiet();
    far.resume();
    const answers = await far.take(500);
    assert.equal(new Set(answers).size, 1);
    assert.equal(peer.isOpen, true);
  });
});

/** A memory link that counts the lines read and knows whether it is paused. */
function watched() {
  const [near, far] = memoryPair();
  const link = { far, readCount: 0, isPaused: false };
  far.open({ onLine() {}, onFault() {}, onDrain() {}, onEnd() {}, onClose() {} });
  const spied: Link = {
    ...near,
    open: (callbacks: LinkCallbacks) =>
      near.open({
        ...callbacks,
        onLine(line) {
          link.readCount++;
          callbacks.onLine(line);
        },
      }),
    pause() {
      link.isPaused = true;
      near.pause();
    },
    resume() {
      link.isPaused = false;
      near.resume();
    },
  };
  return { link, near: spied };
}
