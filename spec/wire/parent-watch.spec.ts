/**
 * Specs of detecting that the parent process has exited.
 */
import assert from "node:assert/strict";
import { describe, it, mock } from "node:test";
import { onParentGone, parentCheckMs } from "../../lib/wire/parent-watch.ts";

describe("onParentGone", () => {
  it("onParentGone calls back once, when another process has become the parent", () => {
    mock.timers.enable({ apis: ["setTimeout"] });
    try {
      let parent = 4711;
      let calls = 0;
      onParentGone(() => calls++, { parentOf: () => parent });
      mock.timers.tick(10 * parentCheckMs);
      assert.equal(calls, 0);
      parent = 1;
      mock.timers.tick(parentCheckMs);
      mock.timers.tick(10 * parentCheckMs);
      assert.equal(calls, 1);
    } finally {
      mock.timers.reset();
    }
  });

  it("onParentGone never calls back once cancelled, for a process without a parent, and on Windows", () => {
    mock.timers.enable({ apis: ["setTimeout"] });
    try {
      let parent = 4711;
      const fail = (): void => assert.fail("nobody asked");
      onParentGone(fail, { parentOf: () => parent })();
      onParentGone(fail, { parentOf: () => parent, platform: "win32" });
      let reaper = 1;
      onParentGone(fail, { parentOf: () => reaper });
      parent = reaper = 12;
      mock.timers.tick(10 * parentCheckMs);
    } finally {
      mock.timers.reset();
    }
  });
});
