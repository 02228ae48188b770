/**
 * Order: who is heard before whom, and who never waits.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isRecord } from "../../lib/schema/index.ts";
import { type Gate, gate, peerOverRaw, peerPair, testRouter } from "../support/peer-pair.ts";
import { quiet } from "../support/raw-end.ts";

const sequenceOf = (params: unknown): string => (isRecord(params) ? String(params["session"]) : "");

describe("the read loop", () => {
  it("does not wait for a request's handler: one that needs a later notification gets it", async () => {
    const later = gate<unknown>();
    const [left] = peerPair({}, { work: () => later.opened, stir: (params) => later.open(params) });
    const call = left.call("work", {});
    left.notify("stir", { now: true });
    assert.deepEqual(await call, { now: true });
  });

  it("does not wait for a request's handler: one that needs a later request gets it", async () => {
    const later = gate<unknown>();
    const [left] = peerPair({}, { work: () => later.opened, echo: (params) => (later.open(params), params) });
    const first = left.call("work", {});
    await left.call("echo", { now: true });
    assert.deepEqual(await first, { now: true });
  });

  it("does not wait for a notification's handler: one that needs a later request gets it", async () => {
    const later = gate<unknown>();
    const heard = gate<unknown>();
    const stir = async (): Promise<void> => heard.open(await later.opened);
    const [left] = peerPair({}, { stir, work: (params) => later.open(params) });
    left.notify("stir", {});
    await left.call("work", { now: true });
    assert.deepEqual(await heard.opened, { now: true });
  });

  it("lets a handler call back the peer that waits for it, level upon level", async () => {
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

  it("answers in the order in which handlers end, not in which requests came", async () => {
    const slow = gate<string>();
    const { far } = peerOverRaw(testRouter({ work: () => slow.opened }));
    far.say('{"jsonrpc":"2.0","id":1,"method":"work"}');
    far.say('{"jsonrpc":"2.0","id":2,"method":"echo","params":[]}');
    assert.equal(await far.next(), '{"jsonrpc":"2.0","id":2,"result":[]}');
    slow.open("slow");
    assert.equal(await far.next(), '{"jsonrpc":"2.0","id":1,"result":"slow"}');
  });
});

describe("notifications of one sequence", () => {
  it("are handled one after the other, in order, however long each takes", async () => {
    const log: string[] = [];
    const gates: Gate[] = Array.from({ length: 5 }, () => gate());
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

  it("stay in order when some handlers are sync and some are not", async () => {
    const heard: string[] = [];
    const done = gate();
    const take = (text: string): void => {
      heard.push(text);
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
      heard,
      Array.from({ length: 100 }, (_, i) => String(i)),
    );
  });

  it("of different methods keep their order too", async () => {
    const heard: unknown[] = [];
    const third = gate();
    const [left] = peerPair(
      {},
      {
        tell: async ({ text }) => {
          await quiet();
          heard.push(text);
          if (text === "third") third.open();
        },
        stir: (params) => void heard.push(params),
      },
    );
    left.notify("tell", { text: "first" });
    left.notify("stir", ["second"]);
    left.notify("tell", { text: "third" });
    await third.opened;
    assert.deepEqual(heard, ["first", ["second"], "third"]);
  });

  it("are handled at once, before the next line is read, when nothing waits", async () => {
    const heard: unknown[] = [];
    const [left] = peerPair({}, { stir: (params) => void heard.push(params), work: () => heard.length });
    left.notify("stir", [1]);
    left.notify("stir", [2]);
    assert.equal(await left.call("work", {}), 2);
  });
});

describe("notifications of different sequences", () => {
  it("do not wait for each other", async () => {
    const stuck = gate();
    const heard: (string | undefined)[] = [];
    const [left] = peerPair(
      {},
      {
        tell: async ({ session, text }) => {
          if (session === "a") await stuck.opened;
          heard.push(`${session}${text}`);
        },
      },
      { sequenceOf },
    );
    for (const text of ["1", "2"]) for (const session of ["a", "b"]) left.notify("tell", { session, text });
    await quiet();
    assert.deepEqual(heard, ["b1", "b2"]);
    stuck.open();
    await quiet();
    assert.deepEqual(heard, ["b1", "b2", "a1", "a2"]);
  });

  it("may have the names that every object has", async () => {
    const heard: (string | undefined)[] = [];
    const [left] = peerPair(
      {},
      { tell: async ({ session }) => (await null, void heard.push(session)) },
      { sequenceOf },
    );
    const names = ["__proto__", "constructor", "hasOwnProperty"];
    for (const session of [...names, ...names]) left.notify("tell", { session });
    await quiet();
    assert.deepEqual(heard.toSorted(), [...names, ...names].toSorted());
  });

  it("survive a sequenceOf that throws: the bug is told and the next line is read", async () => {
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

describe("what a handler sends before it answers", () => {
  it("leaves before the answer", async () => {
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

  it("is handled by the caller before its call is answered", async () => {
    const heard: unknown[] = [];
    const pair = peerPair(
      { stir: (params) => void heard.push(params) },
      { work: () => (pair[1].notify("stir", ["before"]), "answer") },
    );
    assert.equal(await pair[0].call("work", {}), "answer");
    assert.deepEqual(heard, [["before"]]);
  });
});

describe("a call that cannot be encoded", () => {
  it("fails alone, and the next one goes out", async () => {
    const cyclic: { self?: unknown } = {};
    cyclic.self = cyclic;
    const [left] = peerPair();
    await assert.rejects(left.call("echo", cyclic), TypeError);
    await assert.rejects(left.call("echo", 1n, { signal: new AbortController().signal }), TypeError);
    assert.deepEqual(await left.call("echo", [1]), [1]);
  });
});
