/**
 * Setting a member in a JSONC text without changing anything else.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import * as fc from "fast-check";
import { NotJsonc, withMember } from "../../../lib/program/zed/jsonc.ts";

const path = ["agent_servers", "Bowline"];
const entry = { type: "custom", args: ["x"] };

/** Strips comments and trailing commas; enough for texts whose strings contain neither. */
function parsed(text: string): any {
  const plain = text.replaceAll(/\/\/[^\n]*|\/\*[^]*?\*\//g, "").replaceAll(/,(\s*[}\]])/g, "$1");
  return JSON.parse(plain.replace("\ufeff", ""));
}

describe("withMember", () => {
  it("withMember sets a member in texts of any layout, and keeps the rest", () => {
    const texts: readonly string[] = [
      "{}",
      "{\n}\n",
      "{ }",
      "// mine\n{\n  // nothing yet\n}\n",
      '{\n  "theme": "One Dark"\n}\n',
      '{\n  "theme": "One Dark",\n}\n',
      '{\n  "theme": "One Dark", // the best\n}\n',
      '{\n  "theme": "One Dark" // the best\n  /* and no other */\n}\n',
      '{"theme":"One Dark"}',
      '{\n\t"theme": "One Dark",\n\t"list": [1, 2, [],],\n}',
      '{\r\n    "theme": "One Dark",\r\n    "a": {"b": null}\r\n}\r\n',
      '\ufeff{\n  "agent_servers": {}\n}\n',
      '{\n  "agent_servers": {\n    "Other": { "type": "custom", "command": "x" }\n  },\n  "z": -1.5e3\n}\n',
      '{\n  "agent_servers": { "Other": { "command": "x", }, },\n}\n',
      '{\n  "agent_servers": {\n    "Bowline": { "command": "old" } // mine\n  }\n}\n',
      '{ "agent_servers": 1, "agent_servers": {} }',
    ];
    for (const text of texts) {
      const changed = withMember(text, path, entry);
      const before = parsed(text);
      const wanted = { ...before, agent_servers: { ...before.agent_servers, Bowline: entry } };
      assert.deepEqual(parsed(changed), wanted, text);
      for (const word of text.match(/\/\/[^\r\n]*|\/\*[^]*?\*\/|"theme": "One Dark"|"list": [^\n]*/g) ?? []) {
        assert.ok(changed.includes(word), `${word} is kept in ${changed}`);
      }
      assert.equal(changed.includes("\r\n"), text.includes("\r\n"));
      assert.ok(!text.includes("\r\n") || !/[^\r]\n/.test(changed), "every line ends as before");
      // Setting it a second time changes nothing.
      assert.equal(withMember(changed, path, entry), changed, text);
    }
  });

  it("a new member is on lines of its own, indented like the others", () => {
    const two = '{\n  // Colours\n  "theme": "One", // dark\n  "font": 12 // small\n}\n';
    assert.equal(
      withMember(two, path, { a: 1 }),
      '{\n  // Colours\n  "theme": "One", // dark\n  "font": 12, // small\n  "agent_servers": {\n    "Bowline": {\n      "a": 1\n    }\n  }\n}\n',
    );
    const tabs = '{\n\t"agent_servers": {\n\t\t"Other": {},\n\t},\n}\n';
    assert.equal(
      withMember(tabs, path, { a: 1 }),
      '{\n\t"agent_servers": {\n\t\t"Other": {},\n\t\t"Bowline": {\n\t\t\t"a": 1\n\t\t},\n\t},\n}\n',
    );
  });

  it("a text that has the value already, in any layout, stays unchanged", () => {
    const text = '{ "a": [ 1,\n2 ] }';
    assert.equal(withMember(text, ["a"], [1, 2]), text);
  });

  it("an empty text becomes an object with the member", () => {
    assert.equal(withMember("", ["a"], 1), '{\n  "a": 1\n}\n');
    assert.equal(withMember(" \n", ["a"], 1), '{\n  "a": 1\n}\n');
  });

  it("withMember only adds to the text, or replaces the value", () => {
    const names = fc.oneof(fc.constantFrom("a", "agent_servers", "// no, comment {"), fc.string());
    fc.assert(
      fc.property(fc.dictionary(names, fc.jsonValue()), fc.constantFrom(0, 1, 2, "\t"), (value, space) => {
        const text = JSON.stringify({ ...value, agent_servers: {} }, null, space);
        const changed = withMember(text, path, entry);
        assert.deepEqual(JSON.parse(changed).agent_servers, { Bowline: entry });
        assert.equal(JSON.stringify({ ...JSON.parse(changed), agent_servers: {} }), JSON.stringify(JSON.parse(text)));
      }),
    );
  });

  it("a text that is no JSONC is refused with its line", () => {
    const wrong: readonly (readonly [text: string, why: RegExp])[] = [
      ["[]", /^the file is not an object$/],
      ['{\n  "agent_servers": []\n}', /^agent_servers is not an object$/],
      ['{\n  "a": 1\n  "b": 2\n}', /^line 3: a comma or } is missing$/],
      ['{\n  "a": ,\n}', /^line 2: a value is missing$/],
      ["{\n  a: 1\n}", /^line 2: a name in quotes is missing$/],
      ['{ "a" 1 }', /^line 1: a colon is missing$/],
      ['{ "a": "b\n" }', /^line 1: a value is missing$/],
      ['{ "a": 1', /^line 1: a comma or } is missing$/],
      ["{} {}", /^line 1: something follows the end$/],
      ["{ /* no end", /^line 1: a name in quotes is missing$/],
      ["{,}", /^line 1: a name in quotes is missing$/],
      ["hello", /^line 1: a value is missing$/],
      [`{"a":${"[".repeat(100_000)}`, /^line 1: it is nested too deeply$/],
    ];
    for (const [text, message] of wrong) {
      assert.throws(() => withMember(text, path, entry), { name: NotJsonc.name, message }, text.slice(0, 40));
    }
  });
});
