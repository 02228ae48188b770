/**
 * Specs of the router: method names lead to handlers and never to a prototype.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Call, route, routeSome } from "../../lib/rpc/index.ts";
import { unknown } from "../../lib/schema/index.ts";
import { peerPair } from "../support/rpc/peer-pair.ts";

const table = {
  ask: { params: unknown, result: unknown },
  tell: { params: unknown },
} as const;
const call = new Call(1, "ask");
const inherited = ["__proto__", "constructor", "hasOwnProperty", "toString", "valueOf", "get", "has", ""];

describe("route", () => {
  const router = route(table, { ask: () => "answer", tell: () => {} });

  it("route finds requests among requests and notifications among notifications", () => {
    assert.equal(router.request("ask")?.method, "ask");
    assert.equal(router.notification("tell")?.method, "tell");
    assert.equal(router.request("tell"), undefined);
    assert.equal(router.notification("ask"), undefined);
  });

  it("route does not know the property names that every object has", () => {
    for (const name of inherited) {
      assert.equal(router.request(name), undefined);
      assert.equal(router.notification(name), undefined);
    }
  });

  it("route finds a method with such a name when the table has it", () => {
    const odd = {
      ["__proto__"]: { params: unknown, result: unknown },
      constructor: { params: unknown, result: unknown },
    };
    const oddRouter = route(odd, { ["__proto__"]: () => 1, constructor: () => 2 });
    assert.equal(oddRouter.request("__proto__")?.handle(undefined, call), 1);
    assert.equal(oddRouter.request("constructor")?.handle(undefined, call), 2);
  });

  it("route calls handlers of a class instance with their `this`", async () => {
    class Greeter {
      readonly #answer = "from the instance";
      ask = (): string => this.#answer;
      tell = (): void => {};
    }
    assert.equal(route(table, new Greeter()).request("ask")?.handle({}, call), "from the instance");
  });
});

describe("routeSome", () => {
  it("routeSome does not know the methods without a handler", async () => {
    const router = routeSome(table, { tell: undefined });
    assert.equal(router.request("ask"), undefined);
    assert.equal(router.notification("tell"), undefined);
    const [left] = peerPair();
    await assert.rejects(left.call("work", {}), { code: -32601, message: "method not found: work" });
  });
});

describe("a method that is not found", () => {
  it("an unknown method is named in the response, but not at any length", async () => {
    const [left] = peerPair();
    await assert.rejects(left.call("x".repeat(10_000), {}), { message: `method not found: ${"x".repeat(100)}` });
  });

  it("an unknown method is not named with half a character, which strict parsers refuse", async () => {
    const [left] = peerPair();
    const message = `method not found: ${"x".repeat(99)}\ufffd`;
    await assert.rejects(left.call(`${"x".repeat(99)}\u{1f600}`, {}), { message });
    await assert.rejects(left.call(`${"x".repeat(99)}\ud83d`, {}), { message });
  });
});

describe("params that are wrong", () => {
  const cases: readonly (readonly [params: unknown, message: string])[] = [
    [{ name: 5 }, "greet: name must be string"],
    [{}, "greet: name must be given"],
    ["secret", "greet: params must be an object"],
    [["secret"], "greet: params must be an object"],
    [{ name: { secret: "secret" } }, "greet: name must be string"],
  ];
  for (const [params, message] of cases) {
    it(`wrong params are refused by place and expectation: ${message}`, async () => {
      const [left] = peerPair({}, { greet: (given) => given });
      await assert.rejects(left.call("greet", params), (error: Error & { readonly data?: unknown }) => {
        assert.deepEqual([error.message, error.data], [message, undefined]);
        return true;
      });
    });
  }
});
