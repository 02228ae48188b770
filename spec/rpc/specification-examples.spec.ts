/**
 * The examples of the JSON-RPC 2.0 specification, section 7, as a table.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { route } from "../../lib/rpc/index.ts";
import { unknown } from "../../lib/schema/index.ts";
import { play, type Row } from "../support/rpc/wire-script.ts";

interface Example {
  readonly name: string;
  readonly rows: readonly Row[];
  /** The methods of the notifications that reach their handler. */
  readonly notified?: readonly string[];
}

const invalid = '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"a message must be an object"}}';

const examples: readonly Example[] = [
  {
    name: "rpc call with positional parameters",
    rows: [
      { say: '{"jsonrpc": "2.0", "method": "subtract", "params": [42, 23], "id": 1}' },
      { expect: '{"jsonrpc":"2.0","id":1,"result":19}' },
      { say: '{"jsonrpc": "2.0", "method": "subtract", "params": [23, 42], "id": 2}' },
      { expect: '{"jsonrpc":"2.0","id":2,"result":-19}' },
    ],
  },
  {
    name: "rpc call with named parameters",
    rows: [
      { say: '{"jsonrpc": "2.0", "method": "subtract", "params": {"subtrahend": 23, "minuend": 42}, "id": 3}' },
      { expect: '{"jsonrpc":"2.0","id":3,"result":19}' },
      { say: '{"jsonrpc": "2.0", "method": "subtract", "params": {"minuend": 42, "subtrahend": 23}, "id": 4}' },
      { expect: '{"jsonrpc":"2.0","id":4,"result":19}' },
    ],
  },
  {
    name: "a notification",
    rows: [
      { say: '{"jsonrpc": "2.0", "method": "update", "params": [1,2,3,4,5]}' },
      { say: '{"jsonrpc": "2.0", "method": "foobar"}' },
    ],
    notified: ["update"],
  },
  {
    name: "rpc call of non-existent method",
    rows: [{ say: '{"jsonrpc": "2.0", "method": "foobar", "id": "1"}' }, { refuse: -32601, id: '"1"' }],
  },
  {
    name: "rpc call with invalid JSON",
    rows: [{ say: '{"jsonrpc": "2.0", "method": "foobar, "params": "bar", "baz]' }, { refuse: -32700, id: "null" }],
  },
  {
    name: "rpc call with invalid Request object",
    rows: [{ say: '{"jsonrpc": "2.0", "method": 1, "params": "bar"}' }, { refuse: -32600, id: "null" }],
  },
  {
    name: "rpc call Batch, invalid JSON",
    rows: [
      { say: '[{"jsonrpc": "2.0", "method": "sum", "params": [1,2,4], "id": "1"},{"jsonrpc": "2.0", "method"]' },
      { refuse: -32700, id: "null" },
    ],
  },
  { name: "rpc call with an empty Array", rows: [{ say: "[]" }, { refuse: -32600, id: "null" }] },
  {
    name: "rpc call with an invalid Batch (but not empty)",
    rows: [{ say: "[1]" }, { expect: `[${invalid}]` }],
  },
  {
    name: "rpc call with invalid Batch",
    rows: [{ say: "[1,2,3]" }, { expect: `[${invalid},${invalid},${invalid}]` }],
  },
  {
    name: "rpc call Batch",
    rows: [
      {
        say:
          '[{"jsonrpc": "2.0", "method": "sum", "params": [1,2,4], "id": "1"},' +
          '{"jsonrpc": "2.0", "method": "notify_hello", "params": [7]},' +
          '{"jsonrpc": "2.0", "method": "subtract", "params": [42,23], "id": "2"},' +
          '{"foo": "boo"},' +
          '{"jsonrpc": "2.0", "method": "foo.get", "params": {"name": "myself"}, "id": "5"},' +
          '{"jsonrpc": "2.0", "method": "get_data", "id": "9"}]',
      },
      {
        expect:
          '[{"jsonrpc":"2.0","id":"1","result":7},' +
          '{"jsonrpc":"2.0","id":"2","result":19},' +
          '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"jsonrpc must be \\"2.0\\""}},' +
          '{"jsonrpc":"2.0","id":"5","error":{"code":-32601,"message":"method not found: foo.get"}},' +
          '{"jsonrpc":"2.0","id":"9","result":["hello",5]}]',
      },
    ],
    notified: ["notify_hello"],
  },
  {
    name: "rpc call Batch (all notifications)",
    rows: [
      {
        say:
          '[{"jsonrpc": "2.0", "method": "notify_sum", "params": [1,2,4]},' +
          '{"jsonrpc": "2.0", "method": "notify_hello", "params": [7]}]',
      },
    ],
    notified: ["notify_sum", "notify_hello"],
  },
];

const table = {
  subtract: { params: unknown, result: unknown },
  sum: { params: unknown, result: unknown },
  get_data: { params: unknown, result: unknown },
  echo: { params: unknown, result: unknown },
  update: { params: unknown },
  notify_sum: { params: unknown },
  notify_hello: { params: unknown },
} as const;

describe("the examples of the JSON-RPC 2.0 specification", () => {
  for (const { name, rows, notified = [] } of examples) {
    it(`the peer answers as written in the specification: ${name}`, async () => {
      const received: string[] = [];
      await play(
        rows,
        route(table, {
          subtract,
          sum: (params) => (params as number[]).reduce((total, term) => total + term, 0),
          get_data: () => ["hello", 5],
          echo: (params) => params,
          update: () => void received.push("update"),
          notify_sum: () => void received.push("notify_sum"),
          notify_hello: () => void received.push("notify_hello"),
        }),
      );
      assert.deepEqual(received, notified);
    });
  }
});

function subtract(params: unknown): number {
  if (Array.isArray(params)) return Number(params[0]) - Number(params[1]);
  const { minuend, subtrahend } = params as { readonly minuend: number; readonly subtrahend: number };
  return minuend - subtrahend;
}
