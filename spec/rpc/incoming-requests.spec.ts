/**
 * Specs of answering requests: every request gets exactly one response, whatever its
 * handler does.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { CallFailed, RpcError } from "../../lib/rpc/index.ts";
import { gate, peerOverRaw, peerPair, type TestHandlers, testRouter } from "../support/rpc/peer-pair.ts";
import { quiet } from "../support/rpc/raw-peer.ts";
import { play } from "../support/rpc/wire-script.ts";

const request = '{"jsonrpc":"2.0","id":1,"method":"work"}';
const internal = '{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"internal error"}}';

const cyclic: { self?: unknown } = {};
cyclic.self = cyclic;
let deep: unknown = [];
for (let i = 0; i < 100_000; i++) deep = [deep];
const secret = "the password";

/** What a handler may return or throw: the exact response, and whether it is a bug. */
const endings: readonly (readonly [name: string, bring: () => unknown, answer: string, isBug?: boolean])[] = [
  ["an object", () => ({ a: 1 }), '{"jsonrpc":"2.0","id":1,"result":{"a":1}}'],
  ["null", () => null, '{"jsonrpc":"2.0","id":1,"result":null}'],
  ["nothing", () => undefined, '{"jsonrpc":"2.0","id":1,"result":{}}'],
  ["false", () => false, '{"jsonrpc":"2.0","id":1,"result":false}'],
  ["an object with toJSON", () => ({ toJSON: () => "said" }), '{"jsonrpc":"2.0","id":1,"result":"said"}'],
  ["a function", () => () => {}, '{"jsonrpc":"2.0","id":1,"result":null}'],
  ["a cyclic result", () => cyclic, internal, true],
  ["a result 100,000 levels deep", () => deep, internal, true],
  ["a BigInt", () => ({ big: 1n }), internal, true],
  ["a result whose toJSON throws", () => ({ toJSON: () => raise(new Error(secret)) }), internal, true],
  ["a throw of undefined", () => raise(undefined), internal, true],
  ["a throw of null", () => raise(null), internal, true],
  ["a throw of a string", () => raise(secret), internal, true],
  ["a throw of an Error", () => raise(new Error(secret)), internal, true],
  ["a throw of an object with a code", () => raise({ code: -32000, message: secret }), internal, true],
  ["a failed call of its own", () => raise(new CallFailed(-32002, secret, { secret })), internal, true],
  ["a thenable that fails", () => ({ then: (_: unknown, fail: (e: unknown) => void) => fail(secret) }), internal, true],
  ["a thenable that throws", () => ({ then: () => raise(secret) }), internal, true],
  [
    "a result whose then throws when read",
    () => ({
      get then() {
        return raise(secret);
      },
    }),
    internal,
    true,
  ],
  [
    "a thenable that answers twice and then fails",
    () => ({ then: (answer: (r: unknown) => void, fail: (e: unknown) => void) => (answer(1), answer(2), fail(3)) }),
    '{"jsonrpc":"2.0","id":1,"result":1}',
  ],
  [
    "an RpcError",
    () => raise(new RpcError(-32002, "not here", { uri: "a" })),
    '{"jsonrpc":"2.0","id":1,"error":{"code":-32002,"message":"not here","data":{"uri":"a"}}}',
  ],
  [
    "an RpcError with cyclic data",
    () => raise(new RpcError(-32002, "not here", cyclic)),
    '{"jsonrpc":"2.0","id":1,"error":{"code":-32002,"message":"not here"}}',
  ],
  [
    "an RpcError with data 100,000 levels deep",
    () => raise(new RpcError(-32002, "not here", deep)),
    '{"jsonrpc":"2.0","id":1,"error":{"code":-32002,"message":"not here"}}',
  ],
  [
    "an RpcError with a BigInt as data",
    () => raise(new RpcError(-32002, "not here", 1n)),
    '{"jsonrpc":"2.0","id":1,"error":{"code":-32002,"message":"not here"}}',
  ],
  [
    "an RpcError with a cause",
    () => raise(new RpcError(-32002, "not here", undefined, { cause: new Error(secret) })),
    '{"jsonrpc":"2.0","id":1,"error":{"code":-32002,"message":"not here"}}',
  ],
];

describe("the response to a request", () => {
  for (const [name, bring, answer, isBug = false] of endings) {
    const handlers: readonly (readonly [when: string, work: NonNullable<TestHandlers["work"]>])[] = [
      ["at once", () => bring()],
      ["later", async () => (await null, bring())],
    ];
    for (const [when, work] of handlers) {
      it(`a request gets one response for a handler that ends ${when} with ${name}`, async () => {
        const bugs: string[] = [];
        await play([{ say: request }, { expect: answer }], testRouter({ work }), {
          onBug: (method) => bugs.push(method),
        });
        assert.deepEqual(bugs, isBug ? ["work"] : []);
      });
    }
  }

  it("a request gets its response even when onBug throws too", async () => {
    const work = (): never => raise(new Error(secret));
    const options = { onBug: () => raise(new Error("no log")) };
    await play([{ say: request }, { expect: internal }], testRouter({ work }), options);
    const later = async (): Promise<never> => (await null, raise(new Error(secret)));
    await play([{ say: request }, { expect: internal }], testRouter({ work: later }), options);
  });

  it("a request gets an internal error when its schema throws", async () => {
    const { echo } = testRouterEntries();
    const read = (): never => raise(new Error(secret));
    const broken = { method: "work", params: { ...echo.params, read }, handle: () => 1 };
    const bugs: string[] = [];
    await play(
      [{ say: request }, { expect: internal }, { say: '{"jsonrpc":"2.0","method":"work"}' }],
      { request: (method) => (method === "work" ? broken : echo), notification: () => broken },
      { onBug: (method) => bugs.push(method) },
    );
    assert.deepEqual(bugs, ["work", "work"]);
  });

  it("each of two running requests with the same id gets a response", async () => {
    const gates = [gate<string>(), gate<string>()];
    let next = 0;
    const { far } = peerOverRaw(testRouter({ work: () => gates[next++]?.opened }));
    far.say(request);
    far.say(request);
    await quiet();
    gates[1]?.open("second");
    assert.equal(await far.next(), '{"jsonrpc":"2.0","id":1,"result":"second"}');
    gates[0]?.open("first");
    assert.equal(await far.next(), '{"jsonrpc":"2.0","id":1,"result":"first"}');
  });

  it("a request is refused when too many requests run, until one of them ends", async () => {
    const running = gate<string>();
    const { far } = peerOverRaw(testRouter({ work: () => running.opened }), { maxRunning: 2 });
    const say = (id: number): boolean => far.say(`{"jsonrpc":"2.0","id":${id},"method":"work"}`);
    say(1);
    say(2);
    say(3);
    assert.equal(
      await far.next(),
      '{"jsonrpc":"2.0","id":3,"error":{"code":-32603,"message":"too many requests at once, the limit is 2"}}',
    );
    running.open("done");
    assert.equal((await far.take(2)).length, 2);
    say(4);
    assert.equal(await far.next(), '{"jsonrpc":"2.0","id":4,"result":"done"}');
  });

  it("1,024 requests may run at once by default", async () => {
    const running = gate<string>();
    const { far } = peerOverRaw(testRouter({ work: () => running.opened }));
    for (let id = 1; id <= 1025; id++) far.say(`{"jsonrpc":"2.0","id":${id},"method":"work"}`);
    assert.match(await far.next(), /"id":1025,"error"/);
    running.open("done");
    const answers = await far.take(1024);
    assert.ok(answers.every((line, i) => line === `{"jsonrpc":"2.0","id":${i + 1},"result":"done"}`));
  });
});

describe("a bug in a notification's handler", () => {
  it("a bug in a notification's handler is reported to onBug with the method and the cause, and nowhere else", async () => {
    const bugs: unknown[] = [];
    const thrown = new Error(secret);
    const rejected = async (): Promise<never> => raise(thrown);
    await play(
      [
        { say: '{"jsonrpc":"2.0","method":"tell","params":{}}' },
        { say: '{"jsonrpc":"2.0","method":"stir","params":{}}' },
      ],
      testRouter({ tell: () => raise(undefined), stir: rejected }),
      { onBug: (method, cause) => bugs.push([method, cause]) },
    );
    assert.deepEqual(bugs, [
      ["tell", undefined],
      ["stir", thrown],
    ]);
  });

  it("a notification without a handler is not reported as a bug", async () => {
    const bugs: unknown[] = [];
    await play([{ say: '{"jsonrpc":"2.0","method":"nobody/listens","params":{}}' }], testRouter(), {
      onBug: (method) => bugs.push(method),
    });
    assert.deepEqual(bugs, []);
  });

  it("a bug in a notification's handler does not stop the notifications after it", async () => {
    const received: unknown[] = [];
    const [left, right] = peerPair({}, { stir: async (params) => (received.push(params), raise(params)) });
    for (let i = 0; i < 3; i++) left.notify("stir", [i]);
    await left.call("echo", {});
    await quiet();
    assert.deepEqual(received, [[0], [1], [2]]);
    assert.equal(right.isOpen, true);
  });

  it("wrong params of a notification are reported by place and not by value", async () => {
    const bugs: unknown[] = [];
    await play(
      [{ say: '{"jsonrpc":"2.0","method":"tell","params":{"text":["secret"]}}' }],
      testRouter({ tell: () => {} }),
      {
        onBug: (method, cause) => bugs.push([method, String(cause)]),
      },
    );
    assert.deepEqual(bugs, [["tell", "RpcError: tell: text must be string"]]);
  });
});

function raise(thrown: unknown): never {
  throw thrown;
}

function testRouterEntries() {
  const echo = testRouter().request("echo");
  assert.ok(echo);
  return { echo };
}
