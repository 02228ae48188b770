import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Rest } from "../../lib/agent/rest.ts";
import { clock } from "./support/puppet.ts";

describe("Rest", () => {
  it("comes once the limit has passed since the last begin", () => {
    const { after, advance } = clock();
    let rests = 0;
    const rest = new Rest(after, 100, () => rests++ >= 0);
    rest.begin();
    advance(60);
    rest.begin();
    advance(99);
    assert.equal(rests, 0);
    advance(1);
    assert.equal(rests, 1);
    advance(1000);
    assert.equal(rests, 1);
  });

  it("asks again later while it must not come, and is called off for good", () => {
    const { after, advance, pending } = clock();
    let asked = 0;
    const rest = new Rest(after, 100, () => ++asked === 3);
    rest.begin();
    advance(250);
    assert.equal(asked, 2);
    rest.end();
    advance(1000);
    assert.equal(asked, 2);
    rest.begin();
    advance(100);
    assert.deepEqual([asked, pending()], [3, 0]);
  });

  it("never comes with a limit of 0", () => {
    const { after, pending } = clock();
    new Rest(after, 0, () => assert.fail("it came")).begin();
    assert.equal(pending(), 0);
  });
});
