/**
 * `PartialInput`: the string fields of a tool input that is still being written.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { PartialInput } from "../../../lib/claude/translate/partial-input.ts";

function fieldsOf(...fragments: readonly string[]): Readonly<Record<string, string>> {
  const fields = new PartialInput();
  for (const fragment of fragments) fields.push(fragment);
  return Object.fromEntries(fields.complete);
}

describe("PartialInput", () => {
  it("PartialInput has a string field as soon as its closing quote arrives", () => {
    assert.deepEqual(fieldsOf('{"file_path":"/a'), {});
    assert.deepEqual(fieldsOf('{"file_path":"/a', '.txt"'), { file_path: "/a.txt" });
    assert.deepEqual(fieldsOf('{"a":"1","b":"2'), { a: "1" });
  });

  it("PartialInput reads escapes, also when they are split between fragments", () => {
    assert.deepEqual(fieldsOf('{"a":"x\\', '"y\\u00', 'e9\\n"'), { a: 'x"yé\n' });
  });

  it("PartialInput keeps only strings of the top level", () => {
    assert.deepEqual(fieldsOf('{"edits":[{"file_path":"no"}],"n":5,"t":true,"file_path":"yes"}'), { file_path: "yes" });
    assert.deepEqual(fieldsOf('{"a":{"a":"no"},"b":["no"],"c":"yes"}'), { c: "yes" });
  });

  it("PartialInput ignores braces and quotes inside a string", () => {
    assert.deepEqual(fieldsOf('{"command":"echo \\"{[,:\\"","path":"/x"}'), { command: 'echo "{[,:"', path: "/x" });
  });

  it("PartialInput drops a string that is too long for a title", () => {
    assert.deepEqual(fieldsOf(JSON.stringify({ content: "x".repeat(5000), path: "/a" })), { path: "/a" });
  });

  it("PartialInput finds the same fields however the input is split", () => {
    const key = fc.string({ minLength: 1, maxLength: 8 }).filter((name) => name !== "__proto__");
    const value = fc.oneof(fc.string({ unit: "grapheme" }), fc.jsonValue({ maxDepth: 2 }));
    fc.assert(
      fc.property(fc.dictionary(key, value), fc.array(fc.nat(), { maxLength: 12 }), (input, cuts) => {
        const json = JSON.stringify(input);
        const places = [...new Set(cuts.map((cut) => cut % (json.length + 1)))].sort((left, right) => left - right);
        const fragments = [0, ...places].map((from, i) => json.slice(from, [...places, json.length][i]));
        const texts = Object.entries(input).filter(([, one]) => typeof one === "string");
        // Only plain keys: tools have no other ones, and escaped keys are not decoded.
        const plain = texts.filter(([name]) => JSON.stringify(name) === `"${name}"`);
        const found = fieldsOf(...fragments);
        for (const [name, one] of plain) assert.equal(found[name], one);
        assert.equal(Object.keys(found).length, texts.length);
      }),
    );
  });

  it("PartialInput never throws, whatever the input", () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: fc.constantFrom("{", "}", "[", "]", '"', "\\", ":", ",", "u", "a") })),
        (fragments) => void fieldsOf(...fragments),
      ),
    );
  });
});
