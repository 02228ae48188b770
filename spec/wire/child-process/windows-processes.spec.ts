/**
 * Specs of listing and ending processes on Windows, with Windows' own programs replaced.
 * spec/windows/process-trees.win.ts ends real processes in the real node.exe.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { descendantsOf, endWindowsTree, windowsProcesses } from "../../../lib/wire/child-process/windows-processes.ts";

const powershellRows = "4 0 \r\n100 4 638000000000000000\r\n200 100 638000000000000001\r\n";
const wmicRows = "ParentProcessId  ProcessId  \r\n0                4          \r\n100              200        \r\n";

describe("windowsProcesses", () => {
  it("windowsProcesses reads the rows of PowerShell, with start times", async () => {
    const run = (): Promise<{ code: number; stdout: string }> => Promise.resolve({ code: 0, stdout: powershellRows });
    assert.deepEqual((await windowsProcesses(run))[2], { pid: 200, parent: 100, started: "638000000000000001" });
  });

  it("windowsProcesses asks wmic when PowerShell answers nothing", async () => {
    const rows = await windowsProcesses((program) =>
      Promise.resolve(program.includes("wmic") ? { code: 0, stdout: wmicRows } : { code: 1, stdout: "" }),
    );
    assert.deepEqual(rows, [
      { pid: 4, parent: 0, started: "" },
      { pid: 200, parent: 100, started: "" },
    ]);
  });
});

describe("endWindowsTree", () => {
  it("endWindowsTree leaves the work to taskkill where taskkill can end trees", async () => {
    const calls: string[] = [];
    await endWindowsTree(4711, (program, args) => {
      calls.push([program, ...args].join(" "));
      return Promise.resolve({ code: 0, stdout: "" });
    });
    assert.deepEqual(calls, ["taskkill.exe /PID 4711 /T /F"]);
  });
});

describe("descendantsOf", () => {
  it("descendantsOf finds children of children, also below a parent that has exited", () => {
    const processes = [
      { pid: 3, parent: 2, started: "30" },
      { pid: 2, parent: 1, started: "20" },
      { pid: 9, parent: 8, started: "5" },
    ];
    assert.deepEqual(descendantsOf(1, processes), [2, 3]);
  });

  it("descendantsOf leaves out a process that is older than its parent, because the parent's id was used again", () => {
    const processes = [
      { pid: 1, parent: 0, started: "100" },
      { pid: 2, parent: 1, started: "99" },
      { pid: 3, parent: 1, started: "101" },
    ];
    assert.deepEqual(descendantsOf(1, processes), [3]);
  });

  it("descendantsOf ends when ids lead in a circle", () => {
    const processes = [
      { pid: 1, parent: 2, started: "" },
      { pid: 2, parent: 1, started: "" },
    ];
    assert.deepEqual(descendantsOf(1, processes), [2]);
  });
});
