/**
 * Specs of parsing and encoding JSON-RPC messages.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import {
  encodeError,
  encodeNotification,
  encodeRequest,
  encodeResult,
  type Id,
  type Incoming,
  readMessage,
} from "../../lib/rpc/index.ts";
import { readLine } from "../../lib/rpc/message.ts";

/** Any value that is the same after a round trip through JSON. */
const json = fc.jsonValue().map((value): unknown => JSON.parse(JSON.stringify(value)));
const id: fc.Arbitrary<Id> = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.maxSafeInteger(),
  fc.bigInt().filter((value) => !Number.isSafeInteger(Number(value))),
  fc.constant(null),
);

const notObject = "a message must be an object";
const anyMessage = fc
  .record({ jsonrpc: fc.constant("2.0"), id: fc.oneof(fc.bigInt(), fc.nat()), method: fc.string({ unit: "binary" }) })
  .map(({ id: name, ...rest }) => JSON.stringify(rest).replace("{", `{"id" : ${name},`));

describe("readMessage", () => {
  const readings: readonly (readonly [line: string, incoming: Incoming])[] = [
    [
      '{"jsonrpc":"2.0","id":1,"method":"m","params":{"a":1}}',
      { kind: "request", id: 1, method: "m", params: { a: 1 } },
    ],
    ['{"jsonrpc":"2.0","id":null,"method":"m"}', { kind: "request", id: null, method: "m", params: undefined }],
    ['{"jsonrpc":"2.0","method":"m","params":[1]}', { kind: "notification", method: "m", params: [1] }],
    [
      '{"jsonrpc":"2.0","id":9007199254740993,"method":"m"}',
      { kind: "request", id: 9007199254740993n, method: "m", params: undefined },
    ],
    ['{"jsonrpc":"2.0","id":1,"result":null}', { kind: "response", id: 1, result: null, error: undefined }],
    [
      '{"jsonrpc":"2.0","id":"a","error":{"code":1,"message":"m"}}',
      { kind: "response", id: "a", result: undefined, error: { code: 1, message: "m" } },
    ],
    ['{"id":1,"method":null,"result":7}', { kind: "response", id: 1, result: 7, error: undefined }],
    // A method makes it a call, whatever other keys there are.
    ['{"jsonrpc":"2.0","id":1,"method":"m","result":7}', { kind: "request", id: 1, method: "m", params: undefined }],
    ['{"jsonrpc":"2.0","method":"a","method":"b"}', { kind: "notification", method: "b", params: undefined }],
    ["[", { kind: "malformed", id: null, code: -32700, why: "not valid JSON" }],
    ["[]", { kind: "malformed", id: null, code: -32600, why: "batches are not supported" }],
    ["7", { kind: "malformed", id: null, code: -32600, why: "a message must be an object" }],
    ["{}", { kind: "malformed", id: null, code: -32600, why: 'jsonrpc must be "2.0"' }],
    ['{"jsonrpc":"2.0"}', { kind: "malformed", id: null, code: -32600, why: "method must be string" }],
    [
      '{"jsonrpc":"2.0","id":1.5,"method":"m"}',
      { kind: "malformed", id: null, code: -32600, why: "id must be string, integer or null" },
    ],
  ];
  for (const [line, incoming] of readings) {
    it(`readMessage reads ${line} as a ${incoming.kind}`, () => assert.deepEqual(readMessage(line), incoming));
  }

  it("readMessage and readLine agree about every line that is not an array", () => {
    for (const [line, incoming] of readings) if (line !== "[]") assert.deepEqual(readLine(line), incoming);
    assert.deepEqual(readLine("[]", 0), readMessage("[]"));
  });

  it("readMessage describes what is wrong without quoting any of it", () => {
    const wrong = [
      '{"secret":',
      '"secret"',
      '{"jsonrpc":"secret","id":1,"method":"m"}',
      '{"jsonrpc":"2.0","method":["secret"]}',
    ];
    for (const line of wrong) {
      const message = readMessage(line);
      assert.equal(message.kind, "malformed");
      assert.doesNotMatch(message.kind === "malformed" ? message.why : "", /secret/);
    }
  });

  it("readMessage reads any text at all as one of the four kinds", () => {
    const kinds = new Set(["request", "notification", "response", "malformed"]);
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: "binary" }), fc.json()), (line) => {
        assert.ok(kinds.has(readMessage(line).kind));
      }),
    );
  });
});

describe("readLine", () => {
  const refusals: readonly (readonly [line: string, maxBatchLength: number | undefined, why: string])[] = [
    ["[]", undefined, "a batch must not be empty"],
    ["[1]", 0, "batches are not supported"],
    ["[1,2,3]", 2, "a batch must not have more than 2 messages"],
    [`[${"1,".repeat(1024)}1]`, undefined, "a batch must not have more than 1024 messages"],
  ];
  for (const [line, maxBatchLength, why] of refusals) {
    it(`readLine refuses a batch as a whole: ${why}`, () =>
      assert.deepEqual(readLine(line, maxBatchLength), { kind: "malformed", id: null, code: -32600, why }));
  }

  it("readLine reads each message of a batch as readMessage reads it alone, with its own text", () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.json(), anyMessage), { minLength: 1, maxLength: 20 }), (texts) => {
        const batch = readLine(`[${texts.join(",")}]`);
        assert.ok(batch.kind === "batch");
        assert.deepEqual(
          batch.elements.map(({ text }) => text),
          texts,
        );
        for (const { message, text } of batch.elements) {
          const alone = readMessage(text);
          const why = alone.kind === "malformed" && alone.why === "batches are not supported" ? notObject : undefined;
          assert.deepEqual(message, why === undefined ? alone : { ...alone, why });
        }
      }),
    );
  });
});

describe("encoding", () => {
  it("encoding keeps the params of any request", () => {
    fc.assert(
      fc.property(fc.nat(), fc.string({ unit: "binary" }), json, (number, method, params) => {
        const line = encodeRequest(number, method, params);
        assert.deepEqual(readMessage(line), { kind: "request", id: number, method, params });
        assert.deepEqual(JSON.parse(line), { jsonrpc: "2.0", id: number, method, params });
      }),
    );
  });

  it("encoding keeps the params of any notification", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), json, (method, params) => {
        const line = encodeNotification(method, params);
        assert.deepEqual(readMessage(line), { kind: "notification", method, params });
        assert.deepEqual(JSON.parse(line), { jsonrpc: "2.0", method, params });
      }),
    );
  });

  it("encoding keeps any result under any id", () => {
    fc.assert(
      fc.property(id, json, (name, result) => {
        const line = encodeResult(name, result);
        const { id: _, ...rest } = readMessage(line) as { readonly id: unknown };
        assert.deepEqual(rest, { kind: "response", result, error: undefined });
        assert.equal(idOf(line), name);
      }),
    );
  });

  it("encoding keeps the data of any error under any id", () => {
    fc.assert(
      fc.property(id, fc.integer(), fc.string({ unit: "binary" }), json, (name, code, message, data) => {
        const line = encodeError(name, { code, message, data });
        const { id: _, ...rest } = readMessage(line) as { readonly id: unknown };
        assert.deepEqual(rest, { kind: "response", result: undefined, error: { code, message, data } });
        assert.equal(idOf(line), name);
      }),
    );
  });

  it("encoding always makes one line", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), json, (text, value) => {
        for (const line of [
          encodeRequest(1, text, value),
          encodeNotification(text, { text }),
          encodeResult(text, value),
          encodeError(text, { code: 1, message: text, data: value }),
        ])
          assert.doesNotMatch(line, /[\r\n]/);
      }),
    );
  });

  it("encoding leaves out params that are not given", () => {
    assert.equal(encodeRequest(1, "m", undefined), '{"jsonrpc":"2.0","id":1,"method":"m"}');
    assert.equal(encodeNotification("m", undefined), '{"jsonrpc":"2.0","method":"m"}');
  });

  it("encoding writes null for a result that JSON cannot represent", () => {
    for (const result of [undefined, () => {}, Symbol("s"), Number.NaN])
      assert.equal(encodeResult(1, result), '{"jsonrpc":"2.0","id":1,"result":null}');
  });
});

/** The id of a response as a request would have been read: exact past 2^53. */
function idOf(line: string): unknown {
  const asRequest = line.replace(/,"(result|error)":/, ',"method":"m","params":');
  const message = readMessage(asRequest);
  return message.kind === "request" ? message.id : undefined;
}
