/**
 * Which processes of an exited CLI are killed.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { describe, it } from "node:test";
import {
  isSandboxSetup,
  readProcessesByRunId,
  runIdVariable,
  type RunProcess,
} from "../../lib/process/process-table.ts";
import { abandonedOf, killByRunId, newRunId } from "../../lib/process/process-tree.ts";

function row(pid: number, session: number, more: Partial<RunProcess> = {}): RunProcess {
  return { pid, session, parent: 1, started: `${pid}`, isZombie: false, isSandboxSetup: false, ...more };
}

function pidsOf(processes: readonly RunProcess[], sessions = new Set<number>()): readonly number[] {
  return abandonedOf(processes, sessions).map(({ pid }) => pid);
}

describe("the processes that a CLI has left running", () => {
  it("a process whose session leader is left too is killed, and a daemon is not", () => {
    assert.deepEqual(pidsOf([row(10, 10), row(11, 10), row(20, 5)]), [10, 11]);
  });

  it("a process is killed when an earlier call has seen its session leader", () => {
    const sessions = new Set<number>();
    pidsOf([row(10, 10)], sessions);
    assert.deepEqual(pidsOf([row(11, 10)], sessions), [11]);
  });

  it("a sandbox that is being set up is killed, although its session leader has exited", () => {
    assert.deepEqual(pidsOf([row(30, 29, { isSandboxSetup: true }), row(31, 29)]), [30]);
  });
});

describe("killByRunId", { skip: process.platform !== "linux" }, () => {
  it("a process whose session leader has exited is left alone, unless the CLI leaves no daemons", async () => {
    const runId = newRunId();
    const env = { PATH: process.env["PATH"] ?? "", [runIdVariable]: runId };
    // The shell leads a session and exits; what it has started stays in that session.
    spawnSync("setsid", ["--wait", "/bin/sh", "-c", "sleep 60 >/dev/null 2>&1 </dev/null &"], { env });
    const left = async (): Promise<number> => (await readProcessesByRunId()).get(runId)?.length ?? 0;
    assert.equal(await left(), 1);
    await killByRunId(runId);
    assert.equal(await left(), 1);
    await killByRunId(runId, new Set(), false);
    while ((await left()) > 0) await new Promise((resolve) => setTimeout(resolve, 10));
  });
});

describe("a sandbox that is being set up", () => {
  const status = (pids: string, sessions: string): string =>
    `Name:\tbwrap\nNStgid:\t${pids}\nNSpid:\t${pids}\nNSpgid:\t${sessions}\nNSsid:\t${sessions}\nVmPeak:\t 9 kB\n`;

  it("a sandbox that is being set up is known by the first process of a PID namespace without a session in it", () => {
    assert.equal(isSandboxSetup(status("3953\t1", "3952\t0")), true);
    assert.equal(isSandboxSetup(status("7\t3953\t1", "7\t3952\t0")), true, "a namespace in a namespace");
  });

  it("no other process is taken for one", () => {
    for (const [what, text] of [
      ["a sandbox that is set up", status("3953\t1", "3953\t1")],
      ["a process of a sandbox", status("3954\t2", "3952\t0")],
      ["a process outside", status("3954", "3952")],
      ["the first process of the machine, which has no session", status("1", "0")],
      ["a process that has exited", ""],
      ["a system without namespaces", "Name:\tbwrap\nPid:\t1\n"],
    ] as const)
      assert.equal(isSandboxSetup(text), false, what);
  });
});
