/**
 * Specs of describing errors without their messages.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { codeOf, describeBug } from "../../lib/wire/index.ts";

describe("codeOf", () => {
  it("codeOf returns the system's code, or else the error's name", () => {
    assert.equal(codeOf(Object.assign(new Error("/secret is not there"), { code: "ENOENT" })), "ENOENT");
    assert.equal(codeOf(Object.assign(new Error("no"), { code: 5 })), "Error");
    assert.equal(codeOf(new TypeError("secret")), "TypeError");
    assert.equal(codeOf("secret"), "unknown error");
  });
});

describe("describeBug", () => {
  it("describeBug names the error and its place, and never its message", () => {
    const said = describeBug(new RangeError("secret"));
    assert.match(said, /^RangeError at .*error-text\.spec\.[jt]s/);
    assert.ok(!said.includes("secret"));
  });

  it("describeBug does not mistake part of a message for a place", () => {
    for (const message of ["secret at home", "first\n    at secret (of:1:1)", "at secret"]) {
      const said = describeBug(new Error(message));
      assert.ok(!said.includes("secret"), said);
      assert.match(said, /^Error at .*error-text\.spec\.[jt]s/);
    }
  });

  it("describeBug returns only the type of a value that is not an error", () => {
    assert.equal(describeBug("secret"), "string");
    const bare = new Error("secret");
    delete bare.stack;
    assert.equal(describeBug(bare), "Error ");
  });
});
