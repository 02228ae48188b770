/**
 * Many sessions that end at once, in the built program with real processes.
 */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { cliScript, endSessions, withSessions } from "../support/bridge/many-sessions.ts";

const isLinux = process.platform === "linux";
/** A CLI that ignores the end of its input and SIGTERM; the name identifies its processes. */
const stubborn = (name: string): string => cliScript(`trap '' TERM\nwhile :; do sleep 1000 ${name}; done`);

/** The command lines of the processes that run now, by process id. */
function commandLines(): ReadonlyMap<number, string> {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return new Map(pids.map((pid) => [Number(pid), textOf(`/proc/${pid}/cmdline`)]));
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

function parentOf(pid: number): number {
  const stat = textOf(`/proc/${pid}/stat`);
  return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
}

describe("ending many sessions at once", { timeout: 240_000, skip: !isLinux && "reads /proc" }, () => {
  it("ending many sessions costs processor time proportional to their number, and the first answer does not wait for the last", async () => {
    const few = await endSessions(50, "kill");
    const many = await endSessions(400, "kill");
    // Eight times as many sessions; three times that is left for a busy machine.
    assert.ok(many.cpuMs < 24 * Math.max(few.cpuMs, 50), `${few.cpuMs} ms for 50, ${many.cpuMs} ms for 400`);
    assert.ok(many.firstMs < 0.75 * many.allMs, `first ${many.firstMs} ms, all ${many.allMs} ms`);
  });

  it("the bridge exits soon after its client hangs up on 400 sessions", async () => {
    const { allMs } = await endSessions(400, "hang up");
    assert.ok(allMs < 10_000, `${allMs} ms`);
  });

  it("one orphan guard ends all CLIs when the bridge is killed", async () => {
    const name = `4${process.pid}`;
    const isCli = (line: string): boolean => line.startsWith("sleep\0") && line.includes(name);
    await withSessions(100, stubborn(name), async ({ child }) => {
      while ([...commandLines().values()].filter(isCli).length < 100) await pause(50);
      const guards = [...commandLines()].filter(([, line]) => line.includes("bowline-orphan-guard"));
      assert.equal(guards.filter(([pid]) => parentOf(pid) === child.pid).length, 1);
      child.kill("SIGKILL");
      // Ends by the time limit of this group of tests if the processes never exit.
      while ([...commandLines().values()].some(isCli)) await pause(50);
    });
  });
});
