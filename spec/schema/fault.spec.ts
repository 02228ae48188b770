/**
 * Specs of faults: they name the path and the expectation, and stay short for any value.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { array, Fault, object, record, string } from "../../lib/schema/index.ts";

describe("Fault", () => {
  it("a fault names the path and the expectation", () => {
    const fault = new Fault("string").under("text").under(0).under("prompt");
    assert.deepEqual(fault.path, ["prompt", 0, "text"]);
    assert.equal(fault.describe(), "prompt.0.text must be string");
  });

  it("a fault names the root when there is no path", () => {
    assert.equal(new Fault("an object").describe(), "value must be an object");
    assert.equal(new Fault("an object").describe("params"), "params must be an object");
  });

  it("deriving a fault leaves the original fault unchanged", () => {
    const inner = new Fault("string", ["text"]);
    inner.under("content");
    assert.deepEqual(inner.path, ["text"]);
  });

  it("a fault never holds the value", () => {
    const secret = { token: "s3cret" };
    const fault = object({ headers: array(record(string)) }).read({ headers: [{ authorization: secret }] });
    assert.ok(fault instanceof Fault);
    assert.ok(!JSON.stringify(fault).includes("s3cret"));
    assert.ok(!fault.describe().includes("s3cret"));
    assert.deepEqual(fault.path, ["headers", 0, "authorization"]);
  });

  it("a fault cuts long steps and long paths", () => {
    const fault = record(string).read({ ["k".repeat(100_000)]: 1 });
    assert.ok(fault instanceof Fault);
    assert.equal(fault.describe(), `${"k".repeat(80)} must be string`);
    const deep = new Fault(
      "string",
      Array.from({ length: 1000 }, () => "step"),
    );
    assert.equal(deep.describe().split(".").length, 24);
  });

  it("a fault shows no half of a surrogate pair, whether cut or received so", () => {
    const cut = new Fault("string", [`${"k".repeat(79)}\u{1f600}`]).describe();
    assert.equal(cut, `${"k".repeat(79)}\ufffd must be string`);
    assert.equal(new Fault("string", ["\udc00"]).describe(), "\ufffd must be string");
    assert.equal(new Fault("string", ["\u{1f600}"]).describe(), "\u{1f600} must be string");
  });
});
