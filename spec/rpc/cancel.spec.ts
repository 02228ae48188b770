/**
 * Specs of cancelling requests by `$/cancel_request`, in both directions.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Call, Peer, RpcError } from "../../lib/rpc/index.ts";
import { gate, peerOverRaw, peerPair, testRouter } from "../support/rpc/peer-pair.ts";
import { quiet } from "../support/rpc/raw-peer.ts";
import { StubLink } from "../support/wire/stub-link.ts";
import { play } from "../support/rpc/wire-script.ts";

const request = '{"jsonrpc":"2.0","id":1,"method":"work"}';
const cancel = '{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":1}}';

/** Rejects with the signal's reason once the signal aborts. */
const untilAborted = (_params: unknown, { signal }: Call): Promise<never> =>
  new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));

describe("aborting a call of our own", () => {
  it("aborting a call of our own sends the cancel and fails the call at once, without waiting for its answer", async () => {
    const { peer, far } = peerOverRaw();
    const abort = new AbortController();
    const call = peer.call("work", {}, { signal: abort.signal });
    abort.abort();
    await assert.rejects(call, { name: "RpcError", code: -32800, message: "work: the request was cancelled" });
    assert.deepEqual(await far.take(2), [
      '{"jsonrpc":"2.0","id":1,"method":"work","params":{}}',
      '{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":1}}',
    ]);
  });

  it("aborting a call of our own ignores the answer that comes after, also when it is repeated", async () => {
    const { peer, far } = peerOverRaw();
    const abort = new AbortController();
    const call = peer.call("work", {}, { signal: abort.signal });
    abort.abort();
    await assert.rejects(call, { code: -32800 });
    far.say('{"jsonrpc":"2.0","id":1,"error":{"code":-32800,"message":"cancelled"}}');
    far.say('{"jsonrpc":"2.0","id":1,"result":"too late"}');
    const next = peer.call("work", {});
    await far.take(3);
    far.say('{"jsonrpc":"2.0","id":2,"result":"in time"}');
    assert.equal(await next, "in time");
  });

  it("aborting a call of our own sends nothing at all when the signal was aborted before the call", async () => {
    const { peer, far } = peerOverRaw();
    await assert.rejects(peer.call("work", {}, { signal: AbortSignal.abort() }), { code: -32800 });
    await quiet();
    assert.deepEqual(far.waiting, []);
  });

  it("aborting a call of our own sends no cancel once the response has arrived", async () => {
    const { peer, far } = peerOverRaw();
    const abort = new AbortController();
    const call = peer.call("work", {}, { signal: abort.signal });
    await far.next();
    far.say('{"jsonrpc":"2.0","id":1,"result":"answer"}');
    assert.equal(await call, "answer");
    abort.abort();
    await quiet();
    assert.deepEqual(far.waiting, []);
  });

  it("aborting a call of our own sends no cancel once the connection is closed", async () => {
    const { peer, far } = peerOverRaw();
    const abort = new AbortController();
    const call = peer.call("work", {}, { signal: abort.signal });
    await far.next();
    peer.close("enough");
    abort.abort();
    await assert.rejects(call, { name: "ConnectionClosed", reason: "enough" });
    assert.deepEqual(far.waiting, []);
  });

  it("aborting a call of our own sends no cancel when the response is read in the same turn, and the response counts", async () => {
    const link = new StubLink();
    const peer = new Peer(link, testRouter());
    const abort = new AbortController();
    const call = peer.call("work", {}, { signal: abort.signal });
    link.say('{"jsonrpc":"2.0","id":1,"result":"answer"}');
    abort.abort();
    assert.equal(await call, "answer");
    assert.equal(link.sent.length, 1);
  });

  it("aborting a call of our own cancels every call that shares the signal, once each", async () => {
    const { peer, far } = peerOverRaw();
    const abort = new AbortController();
    const calls = [1, 2, 3].map((n) => peer.call("work", [n], { signal: abort.signal }));
    abort.abort();
    abort.abort();
    for (const call of calls) await assert.rejects(call, { code: -32800 });
    const cancels = (await far.take(6)).slice(3);
    assert.deepEqual(
      cancels,
      [1, 2, 3].map((id) => cancel.replace(":1}", `:${id}}`)),
    );
  });

  it("a finished call of our own leaves no listener on the signal", async () => {
    const { peer, far } = peerOverRaw();
    const { signal } = new AbortController();
    let listeners = 0;
    const counting = Object.assign(signal, {
      addEventListener: () => listeners++,
      removeEventListener: () => listeners--,
    });
    const call = peer.call("work", {}, { signal: counting });
    assert.equal(listeners, 1);
    await far.next();
    far.say('{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"no"}}');
    await assert.rejects(call);
    assert.equal(listeners, 0);
  });
});

describe("a cancel from the peer", () => {
  it("a cancel from the peer aborts the handler's signal, and the request is answered with -32800", () =>
    play([{ say: request }, { say: cancel }, { refuse: -32800, id: "1" }], testRouter({ work: untilAborted })));

  it("a cancel from the peer aborts the handler also in the same write as the request, before the handler reads its signal", async () => {
    const seen: unknown[] = [];
    const work = async (_params: unknown, call: Call): Promise<string> => {
      await quiet();
      seen.push(call.isAborted, call.signal.aborted, call.signal.reason instanceof RpcError);
      return "done all the same";
    };
    const answer = '{"jsonrpc":"2.0","id":1,"result":"done all the same"}';
    await play([{ say: request }, { say: cancel }, { expect: answer }], testRouter({ work }));
    assert.deepEqual(seen, [true, true, true]);
  });

  it("a cancel from the peer lets the handler answer with a result", () =>
    play(
      [{ say: request }, { say: cancel }, { expect: '{"jsonrpc":"2.0","id":1,"result":{"stopReason":"cancelled"}}' }],
      testRouter({
        work: (_params, { signal }) =>
          new Promise((resolve) => signal.addEventListener("abort", () => resolve({ stopReason: "cancelled" }))),
      }),
    ));

  it("a cancel from the peer turns any error of the aborted handler into -32800, and reports no bug", async () => {
    const bugs: unknown[] = [];
    const work = async (_params: unknown, { signal }: Call): Promise<never> => {
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      throw new DOMException("This operation was aborted", "AbortError");
    };
    await play(
      [
        { say: request },
        { say: cancel },
        { expect: '{"jsonrpc":"2.0","id":1,"error":{"code":-32800,"message":"work: the request was cancelled"}}' },
      ],
      testRouter({ work }),
      { onBug: (_method, cause) => bugs.push(cause) },
    );
    assert.deepEqual(bugs, []);
  });

  it("a cancel from the peer counts once when it comes twice", async () => {
    let aborts = 0;
    const work = (params: unknown, call: Call): Promise<never> => {
      call.signal.addEventListener("abort", () => aborts++);
      return untilAborted(params, call);
    };
    await play([{ say: request }, { say: cancel }, { say: cancel }, { refuse: -32800, id: "1" }], testRouter({ work }));
    assert.equal(aborts, 1);
  });

  it("a cancel from the peer is ignored after the response", () =>
    play(
      [{ say: request }, { expect: '{"jsonrpc":"2.0","id":1,"result":7}' }, { say: cancel }],
      testRouter({ work: () => 7 }),
    ));

  it("a cancel from the peer is ignored before the request, which then runs to its end", () =>
    play(
      [{ say: cancel }, { say: request }, { expect: '{"jsonrpc":"2.0","id":1,"result":false}' }],
      testRouter({ work: (_params, { signal }) => signal.aborted }),
    ));

  it("a cancel from the peer aborts both of two requests with the same id", () =>
    play(
      [{ say: request }, { say: request }, { say: cancel }, { refuse: -32800, id: "1" }, { refuse: -32800, id: "1" }],
      testRouter({ work: untilAborted }),
    ));

  it("a cancel from the peer gets no response even when the handler goes on", async () => {
    const going = gate<string>();
    const { far } = peerOverRaw(testRouter({ work: () => going.opened }));
    far.say(request);
    far.say(cancel);
    await quiet();
    assert.deepEqual(far.waiting, []);
    going.open("later");
    assert.equal(await far.next(), '{"jsonrpc":"2.0","id":1,"result":"later"}');
  });
});

describe("Call", () => {
  it("a Call aborts once, with the first reason, whenever its signal is read", () => {
    const early = new Call(1, "work");
    const { signal } = early;
    const late = new Call(1, "work");
    for (const call of [early, late]) {
      assert.equal(call.isAborted, false);
      call.abort("first");
      call.abort("second");
      assert.equal(call.isAborted, true);
      assert.equal(String(call.signal.reason), "RpcError: first");
    }
    assert.equal(early.signal, signal);
    assert.equal(late.signal, late.signal);
  });
});

describe("cancel between two peers", () => {
  it("a cancel between two peers reaches the handler after the caller has stopped waiting", async () => {
    const reasons: unknown[] = [];
    const done = gate();
    const work = (params: unknown, call: Call): Promise<never> => {
      call.signal.addEventListener("abort", () => {
        reasons.push(call.signal.reason);
        done.open();
      });
      return untilAborted(params, call);
    };
    const [left] = peerPair({}, { work });
    const abort = new AbortController();
    const call = left.call("work", {}, { signal: abort.signal });
    abort.abort();
    await assert.rejects(call, { code: -32800 });
    await done.opened;
    assert.deepEqual(reasons.map(String), ["RpcError: the request was cancelled"]);
    assert.deepEqual(await left.call("echo", ["alive"]), ["alive"]);
  });
});
