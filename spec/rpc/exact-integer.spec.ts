/**
 * Specs of reading exact integers from JSON text: tables of awkward JSON, then random
 * integers compared with BigInt.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { exactInteger } from "../../lib/rpc/exact-integer.ts";

const big = 9007199254740993n;

const underId: readonly (readonly [name: string, text: string, expected: bigint | undefined])[] = [
  ["a plain integer", `{"id":${big}}`, big],
  ["a negative integer", `{"id":-${big}}`, -big],
  ["2^64 - 1", '{"id":18446744073709551615}', 2n ** 64n - 1n],
  ["blanks everywhere", `\t{ "id" \r: \t ${big} \r } `, big],
  ["a key behind others", `{"jsonrpc":"2.0","method":"m","id":${big}}`, big],
  ["a key behind an object and an array", `{"a":{"b":[1,{"c":2}]},"d":[[3]],"id":${big}}`, big],
  ["a fraction", '{"id":9007199254740993.5}', undefined],
  ["an exponent", '{"id":1e20}', undefined],
  ["a string of digits", `{"id":"${big}"}`, undefined],
  ["true", '{"id":true}', undefined],
  ["an array around it", `{"id":[${big}]}`, undefined],
  ["an object around it", `{"id":{"id":${big}}}`, undefined],
  ["no such key", `{"ID":${big}}`, undefined],
  ["no object", `${big}`, undefined],
  ["an array of objects", `[{"id":${big}}]`, undefined],
  ["the same key further in, before", `{"params":{"id":1},"id":${big}}`, big],
  ["the same key further in, after", `{"id":${big},"params":{"id":1}}`, big],
  ["the same key inside an array", `{"id":${big},"params":[{"id":1},["id",2]]}`, big],
  ["the same key only further in", `{"params":{"id":${big}}}`, undefined],
  ["the key as a value", `{"method":"id","x":1,"id":${big}}`, big],
  ["the key as a value and nothing else", '{"method":"id","x":1}', undefined],
  ["a repeated key, the last wins", `{"id":1,"id":${big}}`, big],
  ["a repeated key, a string last", `{"id":${big},"id":"x"}`, undefined],
  ["a repeated key, null last", `{"id":${big},"id":null}`, undefined],
  ["a repeated key, an array last", `{"id":${big},"id":[1]}`, undefined],
  ["a repeated key, an object last", `{"id":${big},"id":{}}`, undefined],
  ["braces in a string", `{"a":"}{][","id":${big}}`, big],
  ["quotes in a string", `{"a":"\\",\\"id\\":1,\\"","id":${big}}`, big],
  ["a string that ends in a backslash", `{"a":"\\\\","id":${big}}`, big],
  ["a string that looks like the message", `{"a":"{\\"id\\":1}","id":${big}}`, big],
  ["a key with quotes and colons", `{"x\\":{":1,"id":${big}}`, big],
  ["a key written with escapes", `{"\\u0069\\u0064":${big}}`, big],
  ["a key repeated with escapes", `{"id":1,"\\u0069d":${big}}`, big],
  ["a longer key with the same end", `{"xid":1,"idx":2,"id":${big}}`, big],
  ["an empty key", `{"":1,"id":${big}}`, big],
  ["a thousand digits", `{"id":${"9".repeat(1000)}}`, BigInt("9".repeat(1000))],
  ["an absurd number of digits", `{"id":${"9".repeat(1_000_000)}}`, undefined],
  ["100,000 levels beside it", `{"params":${"[".repeat(100_000)}${"]".repeat(100_000)},"id":${big}}`, big],
];

const underRequestId: readonly (readonly [name: string, text: string, expected: bigint | undefined])[] = [
  ["a plain integer", `{"method":"$/cancel_request","params":{"requestId":${big}}}`, big],
  ["the params before the method", `{"params":{"requestId":-${big}},"method":"$/cancel_request"}`, -big],
  ["other keys around", `{"params":{"a":{},"requestId":${big},"b":[{}]}}`, big],
  ["the same keys further in", `{"params":{"x":{"requestId":1},"requestId":${big},"params":{"requestId":2}}}`, big],
  ["the same keys elsewhere", `{"x":{"params":{"requestId":1}},"params":{"requestId":${big}},"requestId":2}`, big],
  ["the key outside of params", `{"requestId":${big},"params":{}}`, undefined],
  ["params as an array", `{"params":[{"requestId":${big}}]}`, undefined],
  ["params as an array of keys", `{"params":["requestId",${big}]}`, undefined],
  ["repeated params, the last wins", `{"params":{"requestId":1},"params":{"requestId":${big}}}`, big],
  ["repeated params, the last empty", `{"params":{"requestId":${big}},"params":{}}`, undefined],
  ["repeated params, the last a number", `{"params":{"requestId":${big}},"params":${big}}`, undefined],
];

describe("exactInteger", () => {
  for (const [name, text, expected] of underId) {
    it(`exactInteger reads under id: ${name}`, () => {
      assert.doesNotThrow(() => JSON.parse(text));
      assert.equal(exactInteger(text, ["id"]), expected);
    });
  }

  for (const [name, text, expected] of underRequestId) {
    it(`exactInteger reads under params.requestId: ${name}`, () => {
      assert.doesNotThrow(() => JSON.parse(text));
      assert.equal(exactInteger(text, ["params", "requestId"]), expected);
    });
  }

  it("exactInteger finds any integer at any path, whatever JSON surrounds it", () => {
    const sibling = fc.tuple(fc.oneof(fc.string(), fc.constantFrom("id", "params", "requestId")), fc.json());
    const around = fc.tuple(fc.array(sibling, { maxLength: 4 }), fc.array(sibling, { maxLength: 4 }));
    const path = fc.array(fc.oneof(fc.string(), fc.constantFrom("id", "params")), { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(path, fc.array(around, { minLength: 3, maxLength: 3 }), fc.bigInt(), (steps, levels, integer) => {
        let text = String(integer);
        for (const [i, step] of [...steps.entries()].reverse()) {
          const [before, after] = levels[i] ?? [[], []];
          const others = (list: readonly (readonly [string, string])[]): string[] =>
            list.filter(([key]) => key !== step).map(([key, json]) => `${JSON.stringify(key)}:${json}`);
          text = `{${[...others(before), `${JSON.stringify(step)}: ${text}`, ...others(after)].join(" ,")}}`;
        }
        JSON.parse(text);
        assert.equal(exactInteger(text, steps), integer);
      }),
      { numRuns: 500 },
    );
  });

  it("exactInteger agrees with JSON.parse on every safe integer, with repeated keys and blanks", () => {
    const json = fc.oneof(fc.maxSafeInteger().map(String), fc.json());
    const member = fc.tuple(fc.constantFrom('"id"', '"\\u0069d"', '"x"', '"params"'), json, fc.constantFrom("", " "));
    fc.assert(
      fc.property(fc.array(member, { maxLength: 6 }), (members) => {
        const text = `{${members.map(([key, value, blank]) => `${key}${blank}:${blank}${value}`).join(",")}}`;
        const { id }: { readonly id?: unknown } = JSON.parse(text);
        const written = members.findLast(([key]) => key !== '"x"' && key !== '"params"')?.[1] ?? "";
        const found = exactInteger(text, ["id"]);
        assert.equal(found === undefined ? undefined : Number(found), /^-?\d+$/.test(written) ? id : undefined);
      }),
      { numRuns: 500 },
    );
  });
});
