/**
 * Specs of batches: one line with the responses to all requests of a batch, whenever
 * their handlers finish, also when the batch is cancelled or the connection ends.
 */
import assert from "node:assert/strict";
import { PassThrough } from "node:stream";
import { describe, it } from "node:test";
import fc from "fast-check";
import { type Call, ConnectionClosed, Peer } from "../../lib/rpc/index.ts";
import { BatchResponses } from "../../lib/rpc/batch-responses.ts";
import { streamLink } from "../../lib/wire/index.ts";
import { gate, type HandlerGate, peerOverRaw, testRouter } from "../support/rpc/peer-pair.ts";
import { quiet } from "../support/rpc/raw-peer.ts";
import { play } from "../support/rpc/wire-script.ts";

const request = (id: number | string, method = "work"): string =>
  `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"method":"${method}","params":[${JSON.stringify(id)}]}`;
const result = (id: number, value: unknown = [id]): string =>
  `{"jsonrpc":"2.0","id":${id},"result":${JSON.stringify(value)}}`;
const tell = (text: string): string => `{"jsonrpc":"2.0","method":"tell","params":{"text":"${text}"}}`;
const cancel = (id: number): string => `{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":${id}}}`;
const batch = (...messages: readonly string[]): string => `[${messages.join(",")}]`;

/** The text of almost a message: the right keys with right and wrong values. No nested arrays, which are read otherwise. */
const nearMessage = fc.oneof(
  { weight: 1, arbitrary: fc.oneof(fc.integer(), fc.string({ unit: "binary" })).map((value) => JSON.stringify(value)) },
  {
    weight: 6,
    arbitrary: fc
      .record(
        {
          jsonrpc: fc.constantFrom("2.0", "2.0", "2.0", "1.0"),
          method: fc.constantFrom("work", "greet", "echo", "tell", "stir", "$/cancel_request", "nope", 7),
          params: fc.jsonValue(),
          result: fc.jsonValue(),
        },
        { requiredKeys: ["jsonrpc", "method"] },
      )
      .chain((message) =>
        fc
          .option(fc.oneof(fc.bigInt(), fc.integer(), fc.double(), fc.string()), { nil: undefined })
          .map((id) => (id === undefined ? JSON.stringify(message) : withId(message, id))),
      ),
  },
);

function withId(message: object, id: bigint | number | string): string {
  const text = typeof id === "bigint" ? String(id) : JSON.stringify(id);
  return JSON.stringify(message).replace("{", () => `{ "id" : ${text} ,`);
}

describe("a batch", () => {
  it("a batch of requests is answered with one line, in the order in which the handlers finish", async () => {
    const gates = new Map<unknown, HandlerGate>([1, 2, 3].map((id) => [id, gate()]));
    const work = async (params: unknown): Promise<unknown> => {
      await gates.get((params as number[])[0])?.opened;
      return params;
    };
    const { far } = peerOverRaw(testRouter({ work }));
    far.say(batch(request(1), request(2), request(3)));
    for (const id of [3, 1]) {
      gates.get(id)?.open();
      await quiet();
      assert.deepEqual(far.waiting, []);
    }
    gates.get(2)?.open();
    assert.equal(await far.next(), batch(result(3), result(1), result(2)));
  });

  it("a batch starts its messages in their order, and what a handler sends comes before the responses", async () => {
    const order: unknown[] = [];
    const { peer, far } = peerOverRaw(
      testRouter({
        tell: ({ text }) => void order.push(text),
        work: (params) => {
          order.push(params);
          peer.notify("tell", { text: "from the handler" });
          return params;
        },
      }),
    );
    far.say(batch(tell("a"), request(1), tell("b"), request(2), tell("c")));
    assert.deepEqual(await far.take(3), [
      tell("from the handler"),
      tell("from the handler"),
      batch(result(1), result(2)),
    ]);
    assert.deepEqual(order, ["a", [1], "b", [2], "c"]);
  });

  it("a batch gets an answer for each request with the same id", () =>
    play([{ say: batch(request(1, "echo"), request(1, "echo")) }, { expect: batch(result(1), result(1)) }]));

  it("a batch of responses settles the calls that wait for them", async () => {
    const { peer, far } = peerOverRaw();
    const calls = [peer.call("work", {}), peer.call("work", {}), peer.call("work", {})];
    await far.take(3);
    far.say(batch(result(3, "c"), '{"jsonrpc":"2.0","id":2,"error":{"code":7,"message":"no"}}', result(1, "a")));
    assert.deepEqual(
      (await Promise.allSettled(calls)).map(({ status }) => status),
      ["fulfilled", "rejected", "fulfilled"],
    );
    assert.equal(await calls[0], "a");
    assert.deepEqual(far.waiting, []);
  });

  it("a batch may hold requests, notifications, responses and what is no message", async () => {
    const { peer, far } = peerOverRaw();
    const call = peer.call("work", {});
    await far.next();
    far.say(batch(request(5, "echo"), result(1, "settled"), tell("x"), '{"jsonrpc":"2.0","id":"w","method":7}'));
    assert.equal(await call, "settled");
    assert.equal(
      await far.next(),
      batch(result(5), '{"jsonrpc":"2.0","id":"w","error":{"code":-32600,"message":"method must be string"}}'),
    );
  });

  it("a batch of any messages gets the same responses and runs the same handlers as its messages on lines of their own", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(nearMessage, { minLength: 1, maxLength: 12 }), async (texts) => {
        const alone = await played(texts);
        const together = await played([batch(...texts)]);
        assert.deepEqual(together.handled, alone.handled);
        assert.deepEqual(together.lines, alone.lines.length === 0 ? [] : [batch(...alone.lines)]);
      }),
      { numRuns: 300 },
    );
  });

  it("a batch does not hold up the requests after it", async () => {
    const slow = gate();
    const { far } = peerOverRaw(testRouter({ work: () => slow.opened }));
    far.say(batch(request(1), request(2, "echo")));
    far.say(request(3, "echo"));
    assert.equal(await far.next(), result(3));
    slow.open();
    assert.equal(await far.next(), batch(result(2), result(1, {})));
  });

  it("a connection with maxBatchLength 0 refuses every batch, and runs none of its messages", async () => {
    const notBatch = '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"batches are not supported"}}';
    const received: unknown[] = [];
    const router = testRouter({ tell: ({ text }) => void received.push(text) });
    await play(
      ["[]", batch(tell("a")), batch(request(1, "echo"))].flatMap((say) => [{ say }, { expect: notBatch }]),
      router,
      { maxBatchLength: 0 },
    );
    assert.deepEqual(received, []);
  });

  it("a batch over the limit is refused as a whole, and one of the limit is answered", async () => {
    const options = { maxBatchLength: 2 };
    const { far } = peerOverRaw(testRouter(), options);
    far.say(batch(request(1, "echo"), request(2, "echo"), request(3, "echo")));
    assert.match(await far.next(), /^{"jsonrpc":"2.0","id":null,"error":{"code":-32600,/);
    far.say(batch(request(1, "echo"), request(2, "echo")));
    assert.equal(await far.next(), batch(result(1), result(2)));
  });
});

describe("cancelling requests of a batch", () => {
  const untilAborted = (_params: unknown, { signal }: Call): Promise<never> =>
    new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
  const cancelled = (id: number): string =>
    `{"jsonrpc":"2.0","id":${id},"error":{"code":-32800,"message":"the request was cancelled"}}`;

  it("a cancel after the batch aborts one request, and the batch is answered once all have ended", () =>
    play(
      [
        { say: batch(request(1), request(2, "echo"), request(3)) },
        { say: cancel(3) },
        { say: cancel(1) },
        { expect: batch(result(2), cancelled(3), cancelled(1)) },
      ],
      testRouter({ work: untilAborted }),
    ));

  it("a cancel within the batch aborts the request before it, with an id past 2^53 too", () => {
    const id = "9007199254740993";
    const [ask, stop, stopped] = [request(1), cancel(1), cancelled(1)].map((text) => text.replace(/:1\b/, `:${id}`));
    return play(
      [{ say: batch(ask ?? "", tell("x"), stop ?? "") }, { expect: batch(stopped ?? "") }],
      testRouter({ work: untilAborted }),
    );
  });
});

describe("the end of a connection with an open batch", () => {
  it("EOF right behind a batch lets its handlers answer in one line before the link closes", async () => {
    const input = new PassThrough();
    const output = new PassThrough();
    const work = async (params: unknown): Promise<unknown> => (await quiet(), params);
    const peer = new Peer(streamLink({ input, output }), testRouter({ work }));
    input.end(batch(request(1), request(2, "echo"), request(3)));
    await peer.settled;
    assert.equal(String(output.read()), `${batch(result(2), result(1), result(3))}\n`);
  });

  it("close sends the responses that an open batch has, once, and is settled when the last handler has ended", async () => {
    const slow = gate();
    const { peer, far } = peerOverRaw(testRouter({ work: () => slow.opened }));
    far.say(batch(request(1, "echo"), request(2), request(3, "echo")));
    far.say(batch(request(4)));
    await quiet();
    const call = peer.call("work", {});
    peer.close("enough");
    await assert.rejects(call, new ConnectionClosed("enough"));
    await far.ended;
    assert.deepEqual(
      far.waiting.filter((line) => line.startsWith("[")),
      [batch(result(1), result(3))],
    );
    slow.open();
    await peer.settled;
  });

  it("closeWhenAnswered refuses our calls at once and closes the link once the batch is answered", async () => {
    const slow = gate();
    const { peer, far } = peerOverRaw(testRouter({ work: () => slow.opened }));
    far.say(batch(request(1, "echo"), request(2)));
    await quiet();
    peer.closeWhenAnswered("enough");
    far.say(request(3, "echo"));
    await assert.rejects(peer.call("work", {}), new ConnectionClosed("enough"));
    await quiet();
    assert.deepEqual(far.waiting, []);
    slow.open();
    await peer.settled;
    await far.ended;
    assert.deepEqual(far.waiting, [batch(result(1), result(2, {}))]);
  });

  it("a handler that closes the connection ends its batch: the messages after it are not handled", async () => {
    const served: unknown[] = [];
    const { peer, far } = peerOverRaw(
      testRouter({ stir: () => peer.close("bye"), work: (params) => void served.push(params) }),
    );
    far.say(batch(request(1, "echo"), '{"jsonrpc":"2.0","method":"stir"}', request(2)));
    await peer.settled;
    await far.ended;
    assert.deepEqual([served, far.waiting], [[], [batch(result(1))]]);
  });
});

describe("the responses that wait for a slow request of their batch", () => {
  /** A response with an id of two digits has then 1 Mi characters. */
  const large = "x".repeat(1024 * 1024 - result(10, "").length);
  const slowly = (): { readonly slow: HandlerGate; readonly served: unknown[]; readonly far: PeerOver["far"] } => {
    const slow = gate();
    const served: unknown[] = [];
    const { far } = peerOverRaw(
      testRouter({
        work: () => slow.opened,
        echo: (params) => (served.push(params), large),
      }),
    );
    return { slow, served, far };
  };

  it("responses of open batches over 16 Mi characters become errors, and requests of further batches are not run", async () => {
    const { slow, served, far } = slowly();
    far.say(batch(request(0), ...Array.from({ length: 40 }, (_, i) => request(i + 10, "echo"))));
    await quiet();
    assert.deepEqual([served.length, far.waiting], [40, []]);
    far.say(batch(request(50, "echo"), request(51)));
    const refused: readonly { readonly error: { readonly code: number } }[] = JSON.parse(await far.next());
    assert.deepEqual(
      refused.map(({ error }) => error.code),
      [-32603, -32603],
    );
    assert.equal(served.length, 40);
    slow.open();
    const answers: readonly { readonly result?: string; readonly error?: { readonly code: number } }[] = JSON.parse(
      await far.next(),
    );
    assert.deepEqual([answers.length, answers.filter(({ result: text }) => text === large).length], [41, 16]);
    assert.ok(answers.every(({ result: text, error }) => (text === undefined) === (error?.code === -32603)));
    // The space is free again.
    far.say(batch(request(60, "echo")));
    assert.equal(await far.next(), batch(result(60, large)));
  });

  it("responses of open batches are counted over all batches, and released when a batch is sent", () => {
    const sent: string[] = [];
    const batches = new BatchResponses((line) => void sent.push(line), 300);
    const first = batches.open(2);
    const second = batches.open(2);
    const third = batches.open(1);
    const line = `"${"x".repeat(98)}"`;
    for (const answer of [first, second]) answer(1, line);
    assert.equal(batches.isFull, false);
    third(1, line);
    assert.equal(batches.isFull, false, "a batch that is answered at once holds nothing");
    second(2, `"${"x".repeat(199)}"`);
    assert.deepEqual(sent, [
      `[${line}]`,
      `[${line},{"jsonrpc":"2.0","id":2,"error":{"code":-32603,"message":"the responses to open batches exceed 300 characters"}}]`,
    ]);
    first(2, line);
    assert.equal(sent[2], `[${line},${line}]`);
  });

  it("responses are not awaited for a batch without requests, nor for one that was answered", () => {
    const batches = new BatchResponses(() => {});
    batches.open(0);
    assert.equal(batches.openCount, 0);
    const answer = batches.open(1);
    assert.equal(batches.openCount, 1);
    answer(1, "1");
    assert.equal(batches.openCount, 0);
  });

  it("responses that come after their batch was flushed are dropped and not counted", () => {
    const sent: string[] = [];
    const batches = new BatchResponses((line) => void sent.push(line), 10);
    const answer = batches.open(3);
    answer(1, "[1]");
    batches.flush();
    for (const id of [2, 3]) answer(id, "[2,3,4,5]");
    batches.flush();
    assert.deepEqual([sent, batches.isFull], [["[[1]]"], false]);
  });
});

/** What handlers were called, and what was sent, for these lines. */
async function played(lines: readonly string[]): Promise<{ handled: unknown[]; lines: readonly string[] }> {
  const handled: unknown[] = [];
  const router = testRouter({
    work: (params) => (handled.push(params), { done: params }),
    greet: (params) => (handled.push(params), params),
    tell: (params) => void handled.push(params),
    stir: (params) => void handled.push(params),
  });
  const { far, peer } = peerOverRaw(router);
  for (const line of lines) far.say(line);
  await quiet();
  peer.close();
  await far.ended;
  return { handled, lines: far.waiting };
}

type PeerOver = ReturnType<typeof peerOverRaw>;
