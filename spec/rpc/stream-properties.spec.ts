/**
 * Property tests over real streams: any messages, cut anywhere, arrive unchanged, and no
 * bytes stop a peer from reading.
 */
import assert from "node:assert/strict";
import { PassThrough } from "node:stream";
import { describe, it } from "node:test";
import fc from "fast-check";
import { encodeError, encodeNotification, encodeRequest, encodeResult, Peer, RpcError } from "../../lib/rpc/index.ts";
import { type Link, streamLink } from "../../lib/wire/index.ts";
import { gate, testRouter } from "../support/rpc/peer-pair.ts";
import { RawPeer } from "../support/rpc/raw-peer.ts";

/** Any value that is the same after a round trip through JSON. */
const json = fc.jsonValue({ stringUnit: "binary" }).map((value): unknown => JSON.parse(JSON.stringify(value)));
const sizes = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 });
const line = fc.oneof(
  fc
    .tuple(fc.nat(), fc.string({ unit: "binary" }), json)
    .map(([id, method, params]) => encodeRequest(id, method, params)),
  fc.tuple(fc.string({ unit: "binary" }), json).map(([method, params]) => encodeNotification(method, params)),
  fc.tuple(fc.bigInt(), json).map(([id, result]) => encodeResult(id, result)),
  fc.tuple(fc.string(), fc.integer(), json).map(([id, code, data]) => encodeError(id, { code, message: "m", data })),
);
/** Almost a message: the right keys with any values. */
const nearMessage = fc.record(
  {
    jsonrpc: fc.constantFrom("2.0", "1.0", 2),
    id: fc.oneof(fc.integer(), json),
    method: fc.oneof(fc.constantFrom("tell", "work", "$/cancel_request", "__proto__"), json),
    params: fc.oneof(fc.record({ requestId: fc.integer(), text: json }, { requiredKeys: [] }), json),
    result: json,
    error: json,
  },
  { requiredKeys: [] },
);

describe("peers over streams", () => {
  it("any sequence of messages arrives unchanged, however its bytes are cut", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(line, { minLength: 1, maxLength: 8 }), sizes, async (lines, cuts) => {
        const input = new PassThrough();
        const far = new RawPeer(streamLink({ input, output: new PassThrough() }));
        writeCut(input, Buffer.from(`${lines.join("\n")}\n`), cuts);
        assert.deepEqual(await far.take(lines.length), lines);
      }),
      { numRuns: 100 },
    );
  });

  it("any params reach the handler of the other peer, and any answer comes back", async () => {
    const [left, right] = cutPair([3, 1, 7, 2]);
    const received: unknown[] = [];
    let all = gate();
    const near = new Peer(left, testRouter());
    const far = new Peer(
      right,
      testRouter({
        work: (params) => {
          throw new RpcError(-32001, "no", params);
        },
        stir: (params) => (received.push(params), all.open()),
      }),
    );
    await fc.assert(
      fc.asyncProperty(json, async (value) => {
        assert.deepEqual(await near.call("echo", [value]), [value]);
        await assert.rejects(near.call("work", { value }), (error) => {
          assert.deepEqual(error instanceof RpcError && error.data, { value });
          return true;
        });
        all = gate();
        near.notify("stir", [value]);
        await all.opened;
        assert.deepEqual(received.pop(), [value]);
      }),
      { numRuns: 100 },
    );
    assert.equal(far.isOpen, true);
  });

  it("any bytes leave the connection alive and the next request answered", async () => {
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 60 }),
      fc.string({ unit: "binary", maxLength: 60 }).map((text) => Buffer.from(text)),
      fc.json().map((text) => Buffer.from(text)),
      nearMessage.map((value) => Buffer.from(JSON.stringify(value))),
      fc.array(nearMessage, { maxLength: 5 }).map((values) => Buffer.from(JSON.stringify(values))),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(bytes, { maxLength: 6 }), sizes, async (garbage, cuts) => {
        const input = new PassThrough();
        const output = new PassThrough();
        const peer = new Peer(streamLink({ input, output }), testRouter({ tell: () => {}, work: () => 1 }));
        const far = new RawPeer(streamLink({ input: output, output: new PassThrough() }));
        for (const part of garbage) writeCut(input, Buffer.concat([part, newline]), cuts);
        input.write('{"jsonrpc":"2.0","id":"after","method":"echo","params":["alive"]}\n');
        let answer: string;
        do answer = await far.next();
        while (!answer.includes('"after"'));
        assert.equal(answer, '{"jsonrpc":"2.0","id":"after","result":["alive"]}');
        assert.equal(peer.isOpen, true);
      }),
      { numRuns: 200 },
    );
  });
});

const newline = Buffer.from("\n");

/** Writes bytes in pieces of these sizes, over and over. */
function writeCut(stream: PassThrough, bytes: Buffer, cuts: readonly number[]): void {
  for (let at = 0, i = 0; at < bytes.length; i++) {
    const size = cuts[i % cuts.length] ?? 1;
    stream.write(bytes.subarray(at, at + size));
    at += size;
  }
}

/** Two links joined by streams that cut everything into pieces. */
function cutPair(cuts: readonly number[]): readonly [Link, Link] {
  const cutting = (): { readonly into: PassThrough; readonly from: PassThrough } => {
    const into = new PassThrough();
    const from = new PassThrough();
    into.on("data", (bytes: Buffer) => writeCut(from, bytes, cuts));
    return { into, from };
  };
  const there = cutting();
  const back = cutting();
  return [streamLink({ input: back.from, output: there.into }), streamLink({ input: there.from, output: back.into })];
}
