/**
 * Specs of the types of a method table: what does not compile.
 *
 * Each wrong line is under `@ts-expect-error`, so `tsc --noEmit` fails when one of them
 * begins to compile. Nothing here is about run time.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  type Call,
  type Handlers,
  type ParamsOf,
  type RequestName,
  type ResultOf,
  route,
  routeSome,
} from "../../lib/rpc/index.ts";
import { integer, object, optional, string } from "../../lib/schema/index.ts";

const add = { params: object({ a: integer(), b: integer() }), result: object({ sum: integer() }) };
const table = {
  add,
  save: { params: object({ path: string }), result: object({ _note: optional(string) }) },
  log: { params: object({ text: string }) },
} as const;
type Table = typeof table;

const right: Handlers<Table> = {
  add: ({ a, b }) => ({ sum: a + b }),
  save: () => {},
  log: () => {},
};

describe("the types of a method table", () => {
  it("the types of a method table accept handlers that are sync, async, with a call or without an answer where none is needed", () => {
    const handlers: Handlers<Table> = {
      add: async ({ a, b }, call: Call) => ({ sum: call.signal.aborted ? 0 : a + b }),
      save: async () => {},
      log: async ({ text }) => void text.length,
    };
    assert.ok(route(table, handlers));
    assert.ok(routeSome(table, { log: handlers.log }));
    assert.ok(routeSome(table, {}));
  });

  it("the types of a method table refuse a missing handler", () => {
    const { log: _, ...rest } = right;
    // @ts-expect-error `log` has no handler
    assert.ok(route(table, rest));
  });

  it("the types of a method table refuse a result of the wrong shape", () => {
    const wrongValue = () => ({ sum: "3" });
    // @ts-expect-error `sum` must be a number
    assert.ok(route(table, { ...right, add: wrongValue }));
    const wrongKey = () => ({ total: 3 });
    // @ts-expect-error `sum` is missing
    assert.ok(route(table, { ...right, add: wrongKey }));
    const later = async () => ({ sum: "3" });
    // @ts-expect-error a promise of the wrong shape is refused too
    assert.ok(route(table, { ...right, add: later }));
  });

  it("the types of a method table refuse a missing result where one is needed", () => {
    const mute = () => {};
    // @ts-expect-error `add` must return a sum
    assert.ok(route(table, { ...right, add: mute }));
    const muteLater = async () => {};
    // @ts-expect-error also when it is async
    assert.ok(route(table, { ...right, add: muteLater }));
  });

  it("the types of a method table refuse a handler of other params", () => {
    const other = (params: { readonly c: string }) => ({ sum: params.c.length });
    // @ts-expect-error `add` has no `c`
    assert.ok(route(table, { ...right, add: other }));
    // @ts-expect-error nor in `routeSome`
    assert.ok(routeSome(table, { add: other }));
  });

  it("the types of a method table refuse a result from a notification's handler", () => {
    const answering = async () => ({ ok: true });
    // @ts-expect-error no peer would receive it
    assert.ok(route(table, { ...right, log: answering }));
  });

  it("the types of a method table refuse an unknown method", () => {
    const add = right.add;
    // @ts-expect-error `subtract` is not in the table
    assert.ok(route(table, { ...right, subtract: add }));
    // @ts-expect-error nor in `routeSome`
    assert.ok(routeSome(table, { subtract: add }));
  });

  it("the types of a method table distinguish requests from notifications, and their params and results", () => {
    const request: RequestName<Table> = "add";
    // @ts-expect-error `log` has no result
    const notification: RequestName<Table> = "log";
    const params: ParamsOf<Table["add"]> = { a: 1, b: 2 };
    const result: ResultOf<Table["add"]> = { sum: 3 };
    const nothing: ResultOf<Table["log"]> = undefined;
    // @ts-expect-error params are read-only
    params.a = 2;
    assert.deepEqual([request, notification, result.sum, nothing], ["add", "log", 3, undefined]);
  });
});
