/**
 * Specs of hostile lines and the one response, or none, that each gets.
 *
 * Each row is sent alone with a probe after it, then all of them over one connection: no
 * input closes the connection or ends the process.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { object, optional, string, unknown } from "../../lib/schema/index.ts";
import { route } from "../../lib/rpc/index.ts";
import { play, type Row } from "../support/rpc/wire-script.ts";

const silence = undefined;
const notJson = { refuse: -32700, id: "null" } as const;
const notMessage = { refuse: -32600, id: "null" } as const;
const notObject = '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"a message must be an object"}}';
const deep = (levels: number): string => `${"[".repeat(levels)}${"]".repeat(levels)}`;
const deepObject = (levels: number): string => `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`;

const lines: readonly (readonly [name: string, line: string, answer: Row | undefined])[] = [
  // Not JSON.
  ["a word", "hello", notJson],
  ["half a message", '{"jsonrpc":"2.0","id":1,"method":"ec', notJson],
  ["two messages on one line", '{"jsonrpc":"2.0","method":"a"}{"jsonrpc":"2.0","method":"b"}', notJson],
  ["a header of another framing", "Content-Length: 52", notJson],
  ["single quotes", "{'jsonrpc':'2.0'}", notJson],
  ["a trailing comma", '{"jsonrpc":"2.0","id":1,"method":"echo",}', notJson],
  ["a comment", '{"jsonrpc":"2.0"} // hi', notJson],
  ["NaN", "NaN", notJson],
  ["undefined", "undefined", notJson],
  ["a raw control character in a string", '{"jsonrpc":"2.0","id":1,"method":"a\u0001"}', notJson],
  ["a NUL", "\u0000", notJson],
  ["100,000 open brackets", "[".repeat(100_000), notJson],
  ["100,000 open braces", '{"a":'.repeat(100_000), notJson],
  // JSON, but not a message.
  ["null", "null", notMessage],
  ["true", "true", notMessage],
  ["a number", "42", notMessage],
  ["a number past the doubles", "1e999", notMessage],
  ["a string", '"echo"', notMessage],
  ["an empty object", "{}", notMessage],
  ["an object of something else", '{"foo":"boo"}', notMessage],
  ["an empty array", "[]", notMessage],
  ["an array of one null", "[null]", { expect: `[${notObject}]` }],
  [
    "a batch of answers to nothing",
    '[{"jsonrpc":"2.0","id":1,"result":1},{"jsonrpc":"2.0","id":2,"error":{}}]',
    silence,
  ],
  [
    "batches in a batch",
    '[[],[[{"jsonrpc":"2.0","id":1,"method":"echo"}]]]',
    { expect: `[${notObject},${notObject}]` },
  ],
  ["100,000 batches in each other", deep(100_000), { expect: `[${notObject}]` }],
  ["a batch of 1,025 notifications", `[${'{"jsonrpc":"2.0","method":"tell"},'.repeat(1024)}{}]`, notMessage],
  ["a batch of a million zeros", `[${"0,".repeat(999_999)}0]`, notMessage],
  [
    "a batch of unknown notifications",
    '[{"jsonrpc":"2.0","method":"nope"},{"jsonrpc":"2.0","method":"tell"}]',
    silence,
  ],
  [
    "a batch with brackets, commas and quotes in its strings",
    '[{"jsonrpc":"2.0","id":"],[\\"{","method":"echo","params":["}]\\\\",{"a":[1,2]}]} , {"jsonrpc":"2.0","method":"tell"}]',
    { expect: '[{"jsonrpc":"2.0","id":"],[\\"{","result":["}]\\\\",{"a":[1,2]}]}]' },
  ],
  [
    "a batch with ids past 2^53",
    '[{"jsonrpc":"2.0","id":9007199254740993,"method":"echo"},{"id":1,"method":"echo","jsonrpc":"2.0"},' +
      '{"jsonrpc":"2.0","id":-12345678901234567890,"method":"echo"}]',
    {
      expect:
        '[{"jsonrpc":"2.0","id":9007199254740993,"result":{}},{"jsonrpc":"2.0","id":1,"result":{}},' +
        '{"jsonrpc":"2.0","id":-12345678901234567890,"result":{}}]',
    },
  ],
  ["100,000 objects in each other", deepObject(100_000), notMessage],
  ["no version", '{"id":1,"method":"echo"}', { refuse: -32600, id: "1" }],
  ["version 1.0", '{"jsonrpc":"1.0","id":1,"method":"echo"}', { refuse: -32600, id: "1" }],
  ["version 2.0 as a number", '{"jsonrpc":2.0,"id":1,"method":"echo"}', { refuse: -32600, id: "1" }],
  ["a notification without version", '{"method":"tell"}', notMessage],
  ["no method", '{"jsonrpc":"2.0","id":"a"}', { refuse: -32600, id: '"a"' }],
  ["a method that is a number", '{"jsonrpc":"2.0","id":1,"method":1}', { refuse: -32600, id: "1" }],
  ["a method that is null", '{"jsonrpc":"2.0","id":1,"method":null}', { refuse: -32600, id: "1" }],
  ["a method that is an array", '{"jsonrpc":"2.0","id":1,"method":["echo"]}', { refuse: -32600, id: "1" }],
  ["an id that is a fraction", '{"jsonrpc":"2.0","id":1.5,"method":"echo"}', notMessage],
  ["an id past the doubles", '{"jsonrpc":"2.0","id":1e999,"method":"echo"}', notMessage],
  ["an id that is true", '{"jsonrpc":"2.0","id":true,"method":"echo"}', notMessage],
  ["an id that is an object", '{"jsonrpc":"2.0","id":{"id":1},"method":"echo"}', notMessage],
  ["an id that is an array", '{"jsonrpc":"2.0","id":[1],"method":"echo"}', notMessage],
  ["an id of a million digits", `{"jsonrpc":"2.0","id":${"9".repeat(1_000_000)},"method":"echo"}`, notMessage],
  [
    "a version inherited from __proto__",
    '{"__proto__":{"jsonrpc":"2.0","method":"echo"},"id":1}',
    { refuse: -32600, id: "1" },
  ],
  // Unknown methods.
  ["an unknown method", '{"jsonrpc":"2.0","id":1,"method":"nope"}', { refuse: -32601, id: "1" }],
  ["an empty method", '{"jsonrpc":"2.0","id":1,"method":""}', { refuse: -32601, id: "1" }],
  ["the method __proto__", '{"jsonrpc":"2.0","id":1,"method":"__proto__"}', { refuse: -32601, id: "1" }],
  ["the method constructor", '{"jsonrpc":"2.0","id":1,"method":"constructor"}', { refuse: -32601, id: "1" }],
  ["the method hasOwnProperty", '{"jsonrpc":"2.0","id":1,"method":"hasOwnProperty"}', { refuse: -32601, id: "1" }],
  ["the method toString", '{"jsonrpc":"2.0","id":1,"method":"toString"}', { refuse: -32601, id: "1" }],
  ["the method get", '{"jsonrpc":"2.0","id":1,"method":"get"}', { refuse: -32601, id: "1" }],
  ["a method of rpc itself", '{"jsonrpc":"2.0","id":1,"method":"rpc.discover"}', { refuse: -32601, id: "1" }],
  [
    "a cancel that wants an answer",
    '{"jsonrpc":"2.0","id":1,"method":"$/cancel_request"}',
    { refuse: -32601, id: "1" },
  ],
  ["a notification's method as a request", '{"jsonrpc":"2.0","id":1,"method":"tell"}', { refuse: -32601, id: "1" }],
  // Params.
  ["params that are missing", '{"jsonrpc":"2.0","id":1,"method":"greet"}', { refuse: -32602, id: "1" }],
  ["params that are null", '{"jsonrpc":"2.0","id":1,"method":"greet","params":null}', { refuse: -32602, id: "1" }],
  ["params that are a string", '{"jsonrpc":"2.0","id":1,"method":"greet","params":"x"}', { refuse: -32602, id: "1" }],
  ["params that are an array", '{"jsonrpc":"2.0","id":1,"method":"greet","params":["x"]}', { refuse: -32602, id: "1" }],
  [
    "params that hide in __proto__",
    '{"jsonrpc":"2.0","id":1,"method":"greet","params":{"__proto__":{"name":"x"}}}',
    { refuse: -32602, id: "1" },
  ],
  [
    "params with the names of every object",
    '{"jsonrpc":"2.0","id":1,"method":"echo","params":{"__proto__":1,"constructor":2,"hasOwnProperty":3}}',
    { expect: '{"jsonrpc":"2.0","id":1,"result":{"__proto__":1,"constructor":2,"hasOwnProperty":3}}' },
  ],
  [
    "100,000 levels of params that are wrong",
    `{"jsonrpc":"2.0","id":1,"method":"greet","params":{"name":${deep(100_000)}}}`,
    { refuse: -32602, id: "1" },
  ],
  [
    "100,000 levels of params beside the right ones",
    `{"jsonrpc":"2.0","id":1,"method":"greet","params":{"name":"x","more":${deepObject(100_000)}}}`,
    { expect: '{"jsonrpc":"2.0","id":1,"result":{"name":"x"}}' },
  ],
  [
    "100,000 levels to be sent back",
    `{"jsonrpc":"2.0","id":1,"method":"echo","params":${deep(100_000)}}`,
    { refuse: -32603, id: "1" },
  ],
  // Notifications with anything wrong in them.
  ["an unknown notification", '{"jsonrpc":"2.0","method":"nope"}', silence],
  ["the notification __proto__", '{"jsonrpc":"2.0","method":"__proto__","params":{}}', silence],
  ["the notification constructor", '{"jsonrpc":"2.0","method":"constructor","params":{}}', silence],
  ["a notification with bad params", '{"jsonrpc":"2.0","method":"tell","params":{"text":5}}', silence],
  ["a notification with params that are a string", '{"jsonrpc":"2.0","method":"tell","params":"x"}', silence],
  ["a notification with deep params", `{"jsonrpc":"2.0","method":"tell","params":{"x":${deep(100_000)}}}`, silence],
  ["a notification whose handler throws", '{"jsonrpc":"2.0","method":"stir"}', silence],
  ["a request's method as a notification", '{"jsonrpc":"2.0","method":"echo","params":{}}', silence],
  ["a cancel of nothing", '{"jsonrpc":"2.0","method":"$/cancel_request"}', silence],
  ["a cancel without an id", '{"jsonrpc":"2.0","method":"$/cancel_request","params":{}}', silence],
  ["a cancel of a fraction", '{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":1.5}}', silence],
  ["a cancel of an object", '{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":{}}}', silence],
  ["a cancel of an unknown id", '{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":7}}', silence],
  ["a cancel by position", '{"jsonrpc":"2.0","method":"$/cancel_request","params":[7]}', silence],
  ["a cancel of a string", '{"jsonrpc":"2.0","method":"$/cancel_request","params":"7"}', silence],
  // Lines that look like a response.
  ["an answer to nothing", '{"jsonrpc":"2.0","id":1,"result":{}}', silence],
  ["a null answer to nothing", '{"jsonrpc":"2.0","id":1,"result":null}', silence],
  ["an error for nothing", '{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"x"}}', silence],
  ["an error with id null", '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"x"}}', silence],
  ["an answer without id", '{"jsonrpc":"2.0","result":{}}', silence],
  ["an answer without version", '{"id":1,"result":{}}', silence],
  ["an answer with an object as id", '{"jsonrpc":"2.0","id":{},"result":{}}', silence],
  ["an answer with __proto__ as id", '{"jsonrpc":"2.0","id":"__proto__","result":{}}', silence],
  ["an answer with a fraction as id", '{"jsonrpc":"2.0","id":1.5,"result":{}}', silence],
  ["result and error at once", '{"jsonrpc":"2.0","id":1,"result":{},"error":{}}', silence],
  ["an error that is a string", '{"jsonrpc":"2.0","id":1,"error":"boom"}', silence],
  ["an error that is null", '{"jsonrpc":"2.0","id":1,"error":null}', silence],
  ["an answer with a null method", '{"jsonrpc":"2.0","id":1,"method":null,"result":{}}', silence],
  ["an error with a number as method", '{"jsonrpc":"2.0","id":1,"method":7,"error":{}}', silence],
];

const table = {
  echo: { params: unknown, result: unknown },
  greet: { params: object({ name: string }), result: unknown },
  tell: { params: object({ text: optional(string) }) },
  stir: { params: unknown },
} as const;

const router = route(table, {
  echo: (params) => params,
  greet: ({ name }) => ({ name }),
  tell: () => {},
  stir: () => {
    throw new Error("a bug");
  },
});

describe("hostile lines", () => {
  for (const [name, line, answer] of lines) {
    it(`the peer ${answer === silence ? "ignores" : "answers once"}: ${name}`, () =>
      play(asRows(line, answer), router));
  }

  it("the peer survives all hostile lines on one connection, each still answered in turn", async () => {
    await play(
      lines.flatMap(([, line, answer]) => asRows(line, answer)),
      router,
    );
  });

  it("hostile lines leave every prototype unchanged", () => {
    const plain: Readonly<Record<string, unknown>> = {};
    for (const key of ["name", "jsonrpc", "method", "a", "polluted"]) assert.equal(plain[key], undefined);
  });
});

function asRows(line: string, answer: Row | undefined): Row[] {
  return answer === undefined ? [{ say: line }] : [{ say: line }, answer];
}
