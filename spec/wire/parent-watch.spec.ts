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
      onParentGone(() => calls++, { parentOf: () => parent, platform: "linux" });
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

  it("onParentGone looks for the parent itself on Windows, where the parent's number stays", () => {
    mock.timers.enable({ apis: ["setTimeout"] });
    try {
      let isAlive = true;
      let calls = 0;
      const isRunning = (pid: number): boolean => pid === 4711 && isAlive;
      onParentGone(() => calls++, { parentOf: () => 4711, platform: "win32", isRunning });
      mock.timers.tick(10 * parentCheckMs);
      assert.equal(calls, 0);
      isAlive = false;
      mock.timers.tick(10 * parentCheckMs);
      assert.equal(calls, 1);
    } finally {
      mock.timers.reset();
    }
  });

  it("onParentGone never calls back once cancelled, and for a process without a parent", () => {
    mock.timers.enable({ apis: ["setTimeout"] });
    try {
      let parent = 4711;
      const fail = (): void => assert.fail("nobody asked");
      onParentGone(fail, { parentOf: () => parent, platform: "linux" })();
      let reaper = 1;
      onParentGone(fail, { parentOf: () => reaper, platform: "linux" });
      parent = reaper = 12;
      mock.timers.tick(10 * parentCheckMs);
    } finally {
      mock.timers.reset();
    }
  });
});
