/**
 * Specs of sequences of notifications: those of one sequence are handled in order, and
 * sequences do not wait for each other.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isRecord } from "../../lib/schema/index.ts";
import { type HandlerGate, gate, peerPair, type TestHandlers } from "../support/rpc/peer-pair.ts";
import { quiet } from "../support/rpc/raw-peer.ts";

const sequenceOf = (params: unknown): string => (isRecord(params) ? String(params["session"]) : "");

describe("notifications of one sequence", () => {
  it("notifications of one sequence are handled one after the other, in order, however long each takes", async () => {
    const log: string[] = [];
    const gates: HandlerGate[] = Array.from({ length: 5 }, () => gate());
    const done = gate();
    const [left] = peerPair(
      {},
      {
        tell: async ({ text }) => {
          log.push(`begin ${text}`);
          await gates[Number(text)]?.opened;
          log.push(`end ${text}`);
          if (text === "4") done.open();
        },
      },
    );
    for (let i = 0; i < 5; i++) left.notify("tell", { text: String(i) });
    for (const each of gates.toReversed()) {
      await quiet();
      each.open();
    }
    await done.opened;
    assert.deepEqual(
      log,
      [0, 1, 2, 3, 4].flatMap((i) => [`begin ${i}`, `end ${i}`]),
    );
  });

  it("notifications of one sequence stay in order when some handlers are sync and others are async", async () => {
    const received: string[] = [];
    const done = gate();
    const take = (text: string): void => {
      received.push(text);
      if (text === "99") done.open();
    };
    const [left] = peerPair(
      {},
      {
        tell: ({ text = "" }) => (Number(text) % 3 === 0 ? quiet().then(() => take(text)) : take(text)),
      },
    );
    for (let i = 0; i < 100; i++) {
      left.notify("tell", { text: String(i) });
      if (i % 7 === 0) await quiet();
    }
    await done.opened;
    assert.deepEqual(
      received,
      Array.from({ length: 100 }, (_, i) => String(i)),
    );
  });

  it("notifications of one sequence keep their order when their methods differ", async () => {
    const received: unknown[] = [];
    const third = gate();
    const [left] = peerPair(
      {},
      {
        tell: async ({ text }) => {
          await quiet();
          received.push(text);
          if (text === "third") third.open();
        },
        stir: (params) => void received.push(params),
      },
    );
    left.notify("tell", { text: "first" });
    left.notify("stir", ["second"]);
    left.notify("tell", { text: "third" });
    await third.opened;
    assert.deepEqual(received, ["first", ["second"], "third"]);
  });

  it("notifications of one sequence are handled at once, before the next line is read, when nothing waits", async () => {
    const received: unknown[] = [];
    const [left] = peerPair({}, { stir: (params) => void received.push(params), work: () => received.length });
    left.notify("stir", [1]);
    left.notify("stir", [2]);
    assert.equal(await left.call("work", {}), 2);
  });
});

describe("notifications of different sequences", () => {
  it("notifications of different sequences do not wait for each other", async () => {
    const stuck = gate();
    const received: (string | undefined)[] = [];
    const [left] = peerPair(
      {},
      {
        tell: async ({ session, text }) => {
          if (session === "a") await stuck.opened;
          received.push(`${session}${text}`);
        },
      },
      { sequenceOf },
    );
    for (const text of ["1", "2"]) for (const session of ["a", "b"]) left.notify("tell", { session, text });
    await quiet();
    assert.deepEqual(received, ["b1", "b2"]);
    stuck.open();
    await quiet();
    assert.deepEqual(received, ["b1", "b2", "a1", "a2"]);
  });

  it("notifications of different sequences may have the property names that every object has as sequence names", async () => {
    const received: (string | undefined)[] = [];
    const [left] = peerPair(
      {},
      { tell: async ({ session }) => (await null, void received.push(session)) },
      { sequenceOf },
    );
    const names = ["__proto__", "constructor", "hasOwnProperty"];
    for (const session of [...names, ...names]) left.notify("tell", { session });
    await quiet();
    assert.deepEqual(received.toSorted(), [...names, ...names].toSorted());
  });

  it("notifications survive a sequenceOf that throws: the bug is reported and the next line is read", async () => {
    const bugs: string[] = [];
    const options = {
      sequenceOf: (): string => {
        throw new Error("no sequence");
      },
      onBug: (method: string, cause: unknown) => bugs.push(`${method}: ${String(cause)}`),
    };
    const [left] = peerPair({}, { tell: () => {} }, options);
    left.notify("tell", {});
    assert.deepEqual(await left.call("echo", [1]), [1]);
    assert.deepEqual(bugs, ["tell: Error: no sequence"]);
  });
});

describe("an urgent notification", () => {
  it("an urgent notification overtakes those that wait for a slow handler, and reaches that handler's work", async () => {
    const stop = gate();
    const log: string[] = [];
    const [left] = peerPair(
      {},
      {
        tell: async ({ text }) => {
          log.push(`begin ${text}`);
          await stop.opened;
          log.push(`end ${text}`);
        },
        hurry: () => {
          log.push("hurry");
          stop.open();
        },
      },
    );
    for (const text of ["1", "2"]) left.notify("tell", { text });
    left.notify("hurry", {});
    await left.call("echo", {});
    await quiet();
    assert.deepEqual(log, ["begin 1", "hurry", "end 1", "begin 2", "end 2"]);
  });

  it("a bug in the handler of an urgent notification is reported like any other", async () => {
    const bugs: unknown[] = [];
    const handlers = { hurry: async (params: unknown): Promise<never> => Promise.reject(params) };
    const [left] = peerPair({}, handlers, { onBug: (method, cause) => bugs.push([method, cause]) });
    left.notify("hurry", ["slow"]);
    assert.deepEqual(await left.call("echo", [1]), [1]);
    await quiet();
    assert.deepEqual(bugs, [["hurry", ["slow"]]]);
  });
});

describe("whenHandled", () => {
  it("whenHandled resolves at once for a sequence in which nothing runs", async () => {
    const [left] = peerPair();
    await left.whenHandled("nobody");
  });

  it("whenHandled resolves when all notifications of its sequence are handled, and waits for no other sequence", async () => {
    const gates = [gate(), gate(), gate()];
    const handlers: TestHandlers = { tell: ({ text }) => gates[Number(text)]?.opened };
    const [left, right] = peerPair({}, handlers, { sequenceOf });
    for (const text of ["0", "1"]) left.notify("tell", { session: "a", text });
    left.notify("tell", { session: "b", text: "2" });
    await quiet();
    let isHandled = false;
    const handled = right.whenHandled("a").then(() => (isHandled = true));
    gates[0]?.open();
    await quiet();
    assert.equal(isHandled, false);
    gates[1]?.open();
    await handled;
  });
});
