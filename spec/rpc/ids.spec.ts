/**
 * Specs of request ids: the response carries exactly the id of the request.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { testRouter } from "../support/rpc/peer-pair.ts";
import { play, type Row } from "../support/rpc/wire-script.ts";

/** The id as written, and as it is sent back where another spelling of the same value is allowed. */
const ids: readonly (readonly [written: string, answered?: string])[] = [
  ["0"],
  ["1"],
  ["-1"],
  ["-0", "0"],
  ["1.0", "1"],
  ["1e2", "100"],
  ["9007199254740991"],
  ["9007199254740992"],
  ["9007199254740993"],
  ["-9007199254740991"],
  ["-9007199254740993"],
  ["18446744073709551615"],
  ["-18446744073709551616"],
  ["123456789012345678901234567890"],
  ["null"],
  ['""'],
  ['"1"'],
  ['"null"'],
  ['"__proto__"'],
  ['"6ba7b810-9dad-11d1-80b4-00c04fd430c8"'],
  ['"a\\"b\\\\c\\nd"'],
  ['"\\u00e9"', '"é"'],
  ['"\\ud800"'],
  ['"\u2028"'],
];

describe("request ids", () => {
  for (const [written, answered = written] of ids) {
    it(`the peer answers ${written} with a result of the same id`, () =>
      play([
        { say: `{"jsonrpc":"2.0","id":${written},"method":"echo","params":[1]}` },
        { expect: `{"jsonrpc":"2.0","id":${answered},"result":[1]}` },
      ]));

    it(`the peer answers ${written} with an error of the same id`, () =>
      play([
        { say: `{"jsonrpc":"2.0","id":${written},"method":"nope"}` },
        { refuse: -32601, id: answered },
        { say: `{"jsonrpc":"1.0","id":${written},"method":"echo"}` },
        { refuse: -32600, id: answered },
      ]));

    it(`the peer cancels the request ${written} and no other`, async () => {
      const log: string[] = [];
      const router = testRouter({
        work: (_params, { signal }) =>
          new Promise((_, reject) => {
            signal.addEventListener("abort", () => {
              log.push("aborted");
              reject(signal.reason);
            });
          }),
        stir: () => void log.push("the others are cancelled"),
      });
      const cancel = (id: string): Row => ({
        say: `{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":${id}}}`,
      });
      const others = ids.filter(([other, same = other]) => same !== answered).map(([other]) => other);
      await play(
        [
          { say: `{"jsonrpc":"2.0","id":${written},"method":"work"}` },
          ...others.map(cancel),
          { say: '{"jsonrpc":"2.0","method":"stir"}' },
          cancel(written),
          { refuse: -32800, id: answered },
        ],
        router,
      );
      assert.deepEqual(log, ["the others are cancelled", "aborted"]);
    });
  }

  it(`the peer distinguishes the id "1" from the id 1`, async () => {
    const waiting = new Map<unknown, (result: string) => void>();
    const router = testRouter({
      work: (_params, { id }) => new Promise((resolve) => waiting.set(id, resolve)),
      stir: () => {
        waiting.get(1)?.("number");
        waiting.get("1")?.("string");
      },
    });
    await play(
      [
        { say: '{"jsonrpc":"2.0","id":"1","method":"work"}' },
        { say: '{"jsonrpc":"2.0","id":1,"method":"work"}' },
        { say: '{"jsonrpc":"2.0","method":"stir"}' },
        { expect: '{"jsonrpc":"2.0","id":1,"result":"number"}' },
        { expect: '{"jsonrpc":"2.0","id":"1","result":"string"}' },
      ],
      router,
    );
  });

  it("the peer answers any integer id exactly, wherever it is in the message", async () => {
    await fc.assert(
      fc.asyncProperty(fc.bigInt(), fc.jsonValue(), fc.boolean(), async (id, params, isFirst) => {
        const rest = `"jsonrpc":"2.0","method":"echo","params":{"id":1,"params":${JSON.stringify(params)}}`;
        await play([
          { say: isFirst ? `{"id":${id},${rest}}` : `{${rest},"id":${id}}` },
          { expect: `{"jsonrpc":"2.0","id":${id},"result":{"id":1,"params":${JSON.stringify(params)}}}` },
        ]);
      }),
      { numRuns: 200 },
    );
  });
});
