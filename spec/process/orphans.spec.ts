/**
 * Orphans of earlier runs: how they are distinguished from processes of a running program.
 */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { orphanFiles, orphanProcesses } from "../../lib/process/index.ts";

describe("orphanProcesses and orphanFiles", () => {
  it("a process whose program has no orphan guard any more is an orphan", () => {
    const proc = mkdtempSync(join(tmpdir(), "bowline-proc-"));
    const processes: Readonly<Record<string, readonly [cmdline: string, environ: string, comm: string]>> = {
      "10": ["sh\0-c\0script\0bowline-orphan-guard\x0011\0BOWLINE_RUN=alive\0", "PATH=/bin\0", "sh\n"],
      "11": ["claude\0-p\0", "A=1\0BOWLINE_RUN=alive\0", "claude\n"],
      "12": ["sleep\x00300\0", "BOWLINE_RUN=alive\0", "sleep\n"],
      "20": ["sleep\x00300\0", "HOME=/\0BOWLINE_RUN=gone\0", "sleep\n"],
      "30": ["node\0bowline.mjs\0", "PATH=/bin\0", "node\n"],
      self: ["x", "BOWLINE_RUN=gone", "x"],
    };
    for (const [pid, [cmdline, environ, comm]] of Object.entries(processes)) {
      mkdirSync(join(proc, pid));
      writeFileSync(join(proc, pid, "cmdline"), cmdline);
      writeFileSync(join(proc, pid, "environ"), environ);
      writeFileSync(join(proc, pid, "comm"), comm);
    }
    // A process that ended during the scan.
    mkdirSync(join(proc, "40"));
    assert.deepEqual(orphanProcesses(proc), [{ pid: 20, name: "sleep" }]);
    rmSync(proc, { recursive: true });
  });

  it("a real orphan process is found on Linux", { skip: process.platform !== "linux" }, async () => {
    const env = { PATH: process.env["PATH"], BOWLINE_RUN: crypto.randomUUID() };
    const left = spawn("sleep", ["60"], { env, stdio: "ignore" });
    await new Promise((resolve) => left.once("spawn", resolve));
    assert.ok(orphanProcesses().some(({ pid, name }) => pid === left.pid && name === "sleep"));
    left.kill("SIGKILL");
  });

  it("no orphans are found where /proc or the directory does not exist", () => {
    assert.deepEqual(orphanProcesses("/nowhere"), []);
    assert.deepEqual(orphanFiles("/nowhere", 0), []);
  });
});
