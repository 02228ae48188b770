/**
 * Files that users write: problems name the line, unknown keys are problems, values are
 * never quoted.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { jsonSchema } from "../../../lib/program/json-file/json-schema.ts";
import { NotJson, parseJsonSource } from "../../../lib/program/json-file/json-source.ts";
import { readJsonText } from "../../../lib/program/json-file/read-json-file.ts";
import { Script, scriptFile, scriptReferences } from "../../../lib/program/play/script.ts";

function problems(text: string): readonly string[] {
  const result = readJsonText(text, "s.json", scriptFile);
  return result.isValid ? [] : result.problems;
}

function wrongAt(text: string): string {
  try {
    parseJsonSource(text);
    return "";
  } catch (cause) {
    assert.ok(cause instanceof NotJson);
    return `${cause.line}: ${cause.message}`;
  }
}

describe("parseJsonSource", () => {
  it("parseJsonSource reads the values that JSON.parse reads", () => {
    const texts = ['{"a":[1,-2.5e3,true,false,null,"\\u00e9\\n"],"b":{"c":{}},"__proto__":1}', "[]", '"x"', " 7 "];
    for (const text of texts)
      assert.equal(JSON.stringify(parseJsonSource(text).value), JSON.stringify(JSON.parse(text)));
  });

  it("parseJsonSource refuses everything that is not strict JSON, with the line and the column", () => {
    assert.equal(wrongAt('{\n  "a": 1,\n}'), "3: column 1: a comma before } is not JSON");
    assert.equal(wrongAt('{\n  "a": 1\n  "b": 2\n}'), "3: column 3: a comma or } is missing");
    assert.equal(wrongAt('{"a": 1, "a": 2}'), "1: column 10: this name is already in the object");
    assert.equal(wrongAt("[1, // no\n2]"), "1: column 5: a value is missing");
    assert.equal(wrongAt("[01]"), "1: column 2: this is not JSON");
    assert.equal(wrongAt('{"a": 1} x'), "1: column 10: something follows the end");
    assert.match(wrongAt("[".repeat(300)), /nested too deeply/);
    assert.notEqual(wrongAt(""), "");
  });

  it("parseJsonSource tells the line of every value, and of the nearest parent of a missing one", () => {
    const { lineAt } = parseJsonSource('{\n"a": [\n1,\n{"b":\n2}]}');
    assert.deepEqual([[], ["a"], ["a", 0], ["a", 1, "b"], ["a", 1, "c"], ["z"]].map(lineAt), [1, 2, 3, 4, 4, 1]);
  });
});

describe("readJsonText", () => {
  it("readJsonText names the line of a wrong value, a missing one and an unknown key", () => {
    assert.deepEqual(problems('{\n"turns": [\n{"do": [\n{"say": 7}]}]}'), [
      "s.json:4: turns.0.do.0.say must be string",
    ]);
    assert.deepEqual(problems('{\n"turns": [\n{}]}'), ["s.json:3: turns.0.do must be given"]);
    assert.deepEqual(problems('{"turns": [{"do": [\n{"say": "a", "thnik": "b"}]}],\n"trns": 1}'), [
      "s.json:2: turns.0.do.0.thnik is not a field here",
      "s.json:3: trns is not a field here",
    ]);
    assert.match(
      problems('{"turns": [{"do": [\n{"shout": "a"}]}]}')[0] ?? "",
      /^s.json:2: turns.0.do.0 must be an object with say or /,
    );
  });

  it("readJsonText finds an unknown key inside the branch of a question", () => {
    const text =
      '{"turns": [{"do": [{"ask": {"title": "t", "on": {"allow": [\n{"tool": {"title": "x", "knd": "edit"}}]}}}]}]}';
    assert.deepEqual(problems(text), ["s.json:2: turns.0.do.0.ask.on.allow.0.tool.knd is not a field here"]);
  });

  it("readJsonText never quotes a value", () => {
    assert.doesNotMatch(problems('{"turns": "hunter2"}').join(), /hunter2/);
  });
});

describe("jsonSchema", () => {
  it("jsonSchema prints a schema that refers to itself and refuses unknown keys", () => {
    const printed = JSON.parse(JSON.stringify(jsonSchema("script", Script.node, scriptReferences)));
    assert.equal(printed.additionalProperties, false);
    assert.deepEqual(printed.required, ["turns"]);
    const { anyOf } = printed.$defs.step;
    const ask = anyOf.find((one: { readonly required: readonly string[] }) => one.required.includes("ask"));
    assert.equal(ask.properties.ask.anyOf[1].properties.on.additionalProperties.items.$ref, "#/$defs/step");
  });
});
