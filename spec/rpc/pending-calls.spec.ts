/**
 * Specs of pending calls: every call is settled exactly once, and its result is checked.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ConnectionClosed, readResult, RpcError } from "../../lib/rpc/index.ts";
import { PendingCalls } from "../../lib/rpc/pending-calls.ts";
import { object, string } from "../../lib/schema/index.ts";

describe("PendingCalls", () => {
  it("PendingCalls gives each call the next id", () => {
    const pending = new PendingCalls();
    const ids: number[] = [];
    for (let i = 0; i < 3; i++) void pending.open((id) => ids.push(id));
    assert.deepEqual(ids, [1, 2, 3]);
    assert.equal(pending.lastId, 3);
  });

  it("PendingCalls settles calls by the responses with their ids, in any order", async () => {
    const pending = new PendingCalls();
    const first = pending.open(() => {});
    const second = pending.open(() => {});
    assert.equal(pending.settle(answer(2, "second")), true);
    assert.equal(pending.settle(answer(1, "first")), true);
    assert.deepEqual(await Promise.all([first, second]), ["first", "second"]);
    assert.equal(pending.isOwed, false);
  });

  it("PendingCalls fails a call by an error response", async () => {
    const pending = new PendingCalls();
    const call = pending.open(() => {});
    pending.settle(failure(1, { code: -32002, message: "gone", data: { uri: "a" } }));
    await assert.rejects(call, { name: "RpcError", code: -32002, message: "gone", data: { uri: "a" } });
  });

  it("PendingCalls takes a response as success when it has a result and a null error", async () => {
    const pending = new PendingCalls();
    const call = pending.open(() => {});
    pending.settle({ kind: "response", id: 1, result: { ok: true }, error: null });
    assert.deepEqual(await call, { ok: true });
  });

  it("PendingCalls fails a call whose response has only a null error", async () => {
    const pending = new PendingCalls();
    const call = pending.open(() => {});
    pending.settle(failure(1, null));
    await assert.rejects(call, RpcError);
  });

  it("PendingCalls returns false for a response that is not owed", () => {
    const pending = new PendingCalls();
    void pending.open(() => {});
    for (const id of ["1", 2, 0, null, undefined, {}, "__proto__"]) assert.equal(pending.settle(answer(id, 1)), false);
    assert.equal(pending.settle(answer(1, 1)), true);
    assert.equal(pending.settle(answer(1, 1)), false);
  });

  it("PendingCalls fails a call that could not be sent and removes it", async () => {
    const pending = new PendingCalls();
    const call = pending.open(() => {
      throw new TypeError("cyclic");
    });
    await assert.rejects(call, TypeError);
    assert.equal(pending.isOwed, false);
    assert.equal(pending.settle(answer(1, 1)), false);
  });

  it("PendingCalls fails a call once when its caller gives up, and still accepts its response", async () => {
    const pending = new PendingCalls();
    const call = pending.open(() => {});
    assert.equal(pending.giveUp(1, new Error("enough")), true);
    assert.equal(pending.giveUp(1, new Error("again")), false);
    await assert.rejects(call, { message: "enough" });
    assert.equal(pending.isOwed, true);
    assert.equal(pending.settle(answer(1, "late")), true);
    assert.equal(pending.isOwed, false);
    assert.equal(pending.settle(answer(1, "repeated")), false);
  });

  it("PendingCalls remembers a bounded number of given-up calls", async () => {
    const pending = new PendingCalls();
    for (let id = 1; id <= 1025; id++) {
      const call = pending.open(() => {});
      pending.giveUp(id, new Error("enough"));
      await assert.rejects(call);
    }
    assert.equal(pending.settle(answer(1, "forgotten")), false);
    for (let id = 2; id <= 1025; id++) assert.equal(pending.settle(answer(id, "late")), true);
    assert.equal(pending.isOwed, false);
  });

  it("PendingCalls knows whether a call made after another still waits", () => {
    const pending = new PendingCalls();
    void pending.open(() => {});
    void pending.open(() => {});
    assert.equal(pending.hasSince(1), true);
    assert.equal(pending.hasSince(2), false);
    pending.settle(answer(2, 0));
    assert.equal(pending.hasSince(1), false);
    assert.equal(pending.hasSince(0), true);
  });

  it("PendingCalls abandons every call once, with the reason, and is owed nothing afterwards", async () => {
    const pending = new PendingCalls();
    const calls = [pending.open(() => {}), pending.open(() => {})];
    const givenUp = pending.open(() => {});
    pending.giveUp(3, new Error("enough"));
    pending.abandon("the pipe broke");
    pending.abandon("again");
    for (const call of calls) await assert.rejects(call, new ConnectionClosed("the pipe broke"));
    await assert.rejects(givenUp, { message: "enough" });
    assert.equal(pending.isOwed, false);
    assert.equal(pending.settle(answer(1, 1)), false);
  });
});

describe("readResult", () => {
  const Answer = object({ name: string });

  it("readResult returns the same object when the result is right", () => {
    const answer = { name: "a", more: 1 };
    assert.equal(readResult("greet", Answer, answer), answer);
  });

  it("readResult names the place where the peer's result is wrong, without the value", () => {
    assert.throws(() => readResult("greet", Answer, { name: ["secret"] }), {
      name: "RpcError",
      code: -32603,
      message: "greet: the peer's answer is wrong: name must be string",
    });
    assert.throws(() => readResult("greet", Answer, null), {
      message: "greet: the peer's answer is wrong: result must be an object",
    });
  });
});

function answer(id: unknown, result: unknown) {
  return { kind: "response", id, result, error: undefined } as const;
}

function failure(id: unknown, error: unknown) {
  return { kind: "response", id, result: undefined, error } as const;
}
