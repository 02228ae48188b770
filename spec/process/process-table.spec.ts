/**
 * The process table: callers share scans, and no caller misses a process because of it.
 */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { describe, it } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { killProcesses, readProcessesByRunId, readProcessTree, shareScan } from "../../lib/process/process-table.ts";

const isLinux = process.platform === "linux";

describe("shareScan", () => {
  it("400 callers at once share one scan", async () => {
    let scans = 0;
    const read = shareScan(async () => ++scans);
    const got = await Promise.all(Array.from({ length: 400 }, () => read()));
    assert.deepEqual(new Set(got), new Set([1]));
  });

  it("a caller that comes during a scan gets the next scan, and shares it", async () => {
    let scans = 0;
    let running = 0;
    let hasBegun = (): void => {};
    let finish = (): void => {};
    const begun = new Promise<void>((resolve) => (hasBegun = resolve));
    const finished = new Promise<void>((resolve) => (finish = resolve));
    const read = shareScan(async () => {
      const mine = ++scans;
      assert.equal(++running, 1, "one scan at a time");
      hasBegun();
      await finished;
      running--;
      return mine;
    });
    const first = read();
    await begun;
    const asked = Promise.all(Array.from({ length: 100 }, () => read()));
    finish();
    const later = await asked;
    assert.equal(await first, 1);
    assert.deepEqual(new Set(later), new Set([2]));
  });

  it("a failed scan does not prevent the next one", async () => {
    let scans = 0;
    const read = shareScan(async () => {
      if (++scans === 1) throw new Error("no");
      return scans;
    });
    await assert.rejects(read());
    assert.equal(await read(), 2);
  });
});

describe("the process table", { skip: process.platform === "win32" && "Windows does not report processes" }, () => {
  it("the process table contains a process that was started before the scan, with its parent", async () => {
    const child = spawn("sleep", ["60"], { stdio: "ignore" });
    await once(child, "spawn");
    try {
      const { rows, children } = await readProcessTree();
      assert.equal(rows.get(child.pid ?? 0)?.parent, process.pid);
      assert.ok(children.get(process.pid)?.some(({ pid }) => pid === child.pid));
    } finally {
      child.kill("SIGKILL");
    }
  });

  it(
    "a process is found by the run id in its environment",
    { skip: !isLinux && "only Linux shows environments" },
    async () => {
      const runId = crypto.randomUUID();
      const child = spawn("sleep", ["60"], { stdio: "ignore", env: { ...process.env, BOWLINE_RUN: runId } });
      await once(child, "spawn");
      try {
        const byRunId = await readProcessesByRunId();
        assert.deepEqual(
          byRunId.get(runId)?.map(({ pid }) => pid),
          [child.pid],
        );
        assert.equal(byRunId.get(runId.slice(0, -1)), undefined, "a prefix of a run id is another run id");
      } finally {
        child.kill("SIGKILL");
      }
    },
  );

  it("a process with the same id but another start time is not killed", async () => {
    const child = spawn("sleep", ["60"], { stdio: "ignore" });
    await once(child, "spawn");
    const pid = child.pid ?? assert.fail("not started");
    const started = (await readProcessTree()).rows.get(pid)?.started ?? assert.fail("not listed");
    await killProcesses([{ pid, started: `${started}0` }]);
    await pause(50);
    assert.equal(child.signalCode, null);
    const exited = once(child, "exit");
    await killProcesses([{ pid, started }]);
    assert.deepEqual(await exited, [null, "SIGKILL"]);
  });
});
