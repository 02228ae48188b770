/**
 * Specs of `IdleTimer`: a session without prompts releases its engine.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { IdleTimer } from "../../../lib/agent/session/idle-timer.ts";
import { fakeClock } from "../../support/fake-clock.ts";

describe("IdleTimer", () => {
  it("the timer fires once, limitMs after the last start", () => {
    const { after, advance } = fakeClock();
    let fired = 0;
    const timer = new IdleTimer(after, 100, () => fired++ >= 0);
    timer.start();
    advance(60);
    timer.start();
    advance(99);
    assert.equal(fired, 0);
    advance(1);
    assert.equal(fired, 1);
    advance(1000);
    assert.equal(fired, 1);
  });

  it("the timer starts again while the CLI must keep running, and stop cancels it", () => {
    const { after, advance, pending } = fakeClock();
    let asked = 0;
    const timer = new IdleTimer(after, 100, () => ++asked === 3);
    timer.start();
    advance(250);
    assert.equal(asked, 2);
    timer.stop();
    advance(1000);
    assert.equal(asked, 2);
    timer.start();
    advance(100);
    assert.deepEqual([asked, pending()], [3, 0]);
  });

  it("the timer never fires with a limit of 0", () => {
    const { after, pending } = fakeClock();
    new IdleTimer(after, 0, () => assert.fail("it fired")).start();
    assert.equal(pending(), 0);
  });
});
