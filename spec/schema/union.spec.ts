/**
 * Specs of union schemas: one variant is chosen, and faults name that variant only.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  array,
  byKey,
  either,
  errorTo,
  Fault,
  integer,
  lenient,
  literal,
  nullable,
  object,
  string,
  tagged,
  unknown,
} from "../../lib/schema/index.ts";
import { freezeDeeply } from "../support/hostile-values.ts";

const text = object({ type: literal("text"), text: string, size: lenient(integer()) });
const image = object({ type: literal("image"), data: string });

function faultOf(got: unknown): string {
  assert.ok(got instanceof Fault);
  return got.describe();
}

describe("tagged", () => {
  const content = tagged("type", { text, image });

  it("tagged returns the same object, wherever the tag is in it", () => {
    for (const given of [
      { type: "text", text: "t" },
      { text: "t", type: "text" },
      { future: 1, data: "d", type: "image" },
    ])
      assert.equal(content.read(freezeDeeply(given)), given);
  });

  it("tagged reports the fault of the chosen variant", () => {
    assert.equal(faultOf(content.read({ type: "text", data: "d" })), "text must be given");
    assert.equal(faultOf(content.read({ type: "image", data: 1 })), "data must be string");
  });

  it("tagged repairs fields of the chosen variant", () => {
    assert.deepEqual(content.read(freezeDeeply({ type: "text", text: "t", size: "x" })), { type: "text", text: "t" });
  });

  it("tagged distinguishes a missing tag from an unknown one", () => {
    assert.equal(faultOf(content.read({ text: "t" })), "type must be given");
    for (const type of ["audio", "", null, 1, ["text"], { text: 1 }])
      assert.equal(faultOf(content.read({ type, text: "t" })), "type must be one of text, image");
  });

  it("tagged does not accept inherited property names as variants", () => {
    for (const type of ["constructor", "__proto__", "toString", "hasOwnProperty"])
      assert.equal(faultOf(content.read({ type })), "type must be one of text, image");
  });

  it("tagged chooses the variant of each value afresh, also after a fault", () => {
    for (let round = 0; round < 5; round++) {
      const words = { type: "text", text: "t" };
      const picture = { type: "image", data: "d" };
      assert.equal(content.read(words), words);
      assert.equal(content.read(picture), picture);
      assert.equal(faultOf(content.read({ type: "audio" })), "type must be one of text, image");
      assert.equal(faultOf(content.read({ data: "d" })), "type must be given");
      assert.equal(content.read(picture), picture);
      assert.equal(faultOf(content.read({ type: "text", data: "d" })), "text must be given");
    }
  });

  it("tagged refuses what is not an object", () => {
    for (const value of [null, [], "text", 1, undefined])
      assert.equal(faultOf(content.read(value)), "value must be an object");
  });

  it("tagged accepts variants that are unions themselves", () => {
    const nested = tagged("kind", { content: tagged("type", { text, image }) });
    const given = { kind: "content", type: "image", data: "d" };
    assert.equal(nested.read(given), given);
    assert.equal(faultOf(nested.read({ kind: "content", type: "image" })), "data must be given");
  });

  it("tagged leaves the variants themselves as strict as before", () => {
    assert.equal(faultOf(text.read({ type: "image", text: "t" })), 'type must be "text"');
  });
});

describe("tagged with otherwise", () => {
  const server = tagged("type", { http: object({ type: literal("http"), url: string }) }, object({ command: string }));

  it("tagged with otherwise reads a value with a missing or unknown tag as the other shape", () => {
    for (const given of [{ command: "ls" }, { type: "stdio", command: "ls" }, { type: null, command: "ls" }])
      assert.equal(server.read(freezeDeeply(given)), given);
  });

  it("tagged with otherwise reports the fault of the other shape", () => {
    assert.equal(faultOf(server.read({})), "command must be given");
    assert.equal(faultOf(server.read({ type: "http", command: "ls" })), "url must be given");
  });

  it("tagged with otherwise accepts a null result of the other schema", () => {
    const forgiving = tagged(
      "type",
      { text },
      errorTo(nullable(image), () => null),
    );
    assert.equal(forgiving.read({ type: "audio" }), null);
  });

  it("tagged with otherwise keeps a value of an open catch-all unchanged", () => {
    const open = tagged("type", { text }, unknown);
    const given = freezeDeeply({ type: "from the future", more: [1] });
    assert.equal(open.read(given), given);
  });
});

describe("byKey", () => {
  const resource = byKey({ text: object({ uri: string, text: string }), blob: object({ uri: string, blob: string }) });

  it("byKey chooses the variant by the key that is present", () => {
    for (const given of [
      { uri: "u", text: "t" },
      { blob: "b", uri: "u" },
    ])
      assert.equal(resource.read(freezeDeeply(given)), given);
  });

  it("byKey chooses the first listed variant when several keys are present", () => {
    assert.equal(faultOf(resource.read({ uri: "u", blob: "b", text: 1 })), "text must be string");
  });

  it("byKey names the keys it looked for in its fault", () => {
    assert.equal(faultOf(resource.read({ uri: "u" })), "value must be an object with text or blob");
    assert.equal(faultOf(resource.read([])), "value must be an object");
  });

  it("byKey does not count inherited keys", () => {
    const odd = byKey({ constructor: object({}) });
    assert.equal(faultOf(odd.read({})), "value must be an object with constructor");
  });
});

describe("either", () => {
  const id = either("string, integer or null", string, integer(), nullable(string));

  it("either accepts what one of its schemas accepts", () => {
    for (const value of ["x", 1, null]) assert.equal(id.read(value), value);
  });

  it("either names all expectations when no schema accepts the value", () => {
    assert.equal(faultOf(id.read(0.5)), "value must be string, integer or null");
    assert.equal(faultOf(object({ id }).read({ id: [] })), "id must be string, integer or null");
  });

  it("either chooses the first schema that accepts the value", () => {
    const loose = either(
      "lines",
      errorTo(array(string), () => ["stand-in"]),
      string,
    );
    assert.deepEqual(loose.read("x"), ["stand-in"]);
  });
});
