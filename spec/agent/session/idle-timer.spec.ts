import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { IdleTimer } from "../../../lib/agent/session/idle-timer.ts";
import { fakeClock } from "../../support/fake-clock.ts";

describe("Rest", () => {
  it("comes once the limit has passed since the last begin", () => {
    const { after, advance } = fakeClock();
    let rests = 0;
    const rest = new IdleTimer(after, 100, () => rests++ >= 0);
    rest.start();
    advance(60);
    rest.start();
    advance(99);
    assert.equal(rests, 0);
    advance(1);
    assert.equal(rests, 1);
    advance(1000);
    assert.equal(rests, 1);
  });

  it("asks again later while it must not come, and is called off for good", () => {
    const { after, advance, pending } = fakeClock();
    let asked = 0;
    const rest = new IdleTimer(after, 100, () => ++asked === 3);
    rest.start();
    advance(250);
    assert.equal(asked, 2);
    rest.stop();
    advance(1000);
    assert.equal(asked, 2);
    rest.start();
    advance(100);
    assert.deepEqual([asked, pending()], [3, 0]);
  });

  it("never comes with a limit of 0", () => {
    const { after, pending } = fakeClock();
    new IdleTimer(after, 0, () => assert.fail("it came")).start();
    assert.equal(pending(), 0);
  });
});
