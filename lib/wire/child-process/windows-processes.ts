/**
 * Lists processes on Windows and ends a process with all its descendants.
 *
 * Windows has no process groups and no SIGTERM; ending a process leaves its children
 * running. They keep the id of their parent even after the parent has exited, so
 * they can be found at any time. Windows' own programs are started by absolute path,
 * because a bare name would be searched in the working directory first.
 */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { systemDirectory } from "./windows-program.ts";

export interface WindowsProcess {
  readonly pid: number;
  readonly parent: number;
  /** The start time in 100 ns; "" where only wmic answers. */
  readonly started: string;
}

/** Runs one of Windows' programs, a path below System32, and returns its exit code and output. */
export type RunSystemProgram = (
  program: string,
  args: readonly string[],
) => Promise<{ readonly code: number; readonly stdout: string }>;

/** PowerShell takes a second to start, several on a busy machine. */
const maxProgramMs = 15_000;
const maxOutputBytes = 16 * 1024 * 1024;

/** How to list processes: a program below System32, and a regular expression for a row of its output. */
export interface ProcessListing {
  readonly program: string;
  readonly args: readonly string[];
  /** With the groups `pid`, `parent` and `started`. */
  readonly row: string;
}

export const processListings: readonly ProcessListing[] = [
  {
    program: "WindowsPowerShell\\v1.0\\powershell.exe",
    args: [
      "-NoProfile",
      "-NonInteractive",
      "-Command",
      'Get-CimInstance Win32_Process | ForEach-Object { "$($_.ProcessId) $($_.ParentProcessId) $($_.CreationDate.Ticks)" }',
    ],
    row: "^\\s*(?<pid>\\d+) (?<parent>\\d+) (?<started>\\d*)\\s*$",
  },
  // Wine, and systems without PowerShell. The columns are in alphabetical order.
  {
    program: "wbem\\wmic.exe",
    args: ["process", "get", "ParentProcessId,ProcessId"],
    row: "^\\s*(?<parent>\\d+)\\s+(?<pid>\\d+)(?<started>)\\s*$",
  },
];

/** All processes. Empty when no listing answers. */
export async function windowsProcesses(run: RunSystemProgram = runSystemProgram): Promise<readonly WindowsProcess[]> {
  for (const { program, args, row } of processListings) {
    const { stdout } = await run(program, args);
    const rows = rowsOf(stdout, new RegExp(row, "gm"));
    if (rows.length > 0) return rows;
  }
  return [];
}

/** Ends a running process and all its descendants at once. */
export async function endWindowsTree(pid: number, run: RunSystemProgram = runSystemProgram): Promise<void> {
  const { code } = await run("taskkill.exe", ["/PID", String(pid), "/T", "/F"]);
  if (code === 0) return;
  // Wine's taskkill has no /T; another user's process makes it fail too.
  await endWindowsDescendants(pid, run);
  end(pid);
}

/** Ends the descendants of a process, which may have exited. */
export async function endWindowsDescendants(pid: number, run: RunSystemProgram = runSystemProgram): Promise<void> {
  for (const one of descendantsOf(pid, await windowsProcesses(run))) end(one);
}

/** The processes below `pid`. A child is younger than its parent: an older process has a parent whose id was used again. */
export function descendantsOf(pid: number, processes: readonly WindowsProcess[]): readonly number[] {
  const started = new Map(processes.map((one) => [one.pid, one.started]));
  const found = new Set([pid]);
  for (const parent of found) {
    for (const child of processes) {
      if (child.parent !== parent || child.pid === process.pid) continue;
      const bornBefore = started.get(parent) ?? "";
      if (bornBefore === "" || child.started === "" || BigInt(child.started) >= BigInt(bornBefore))
        found.add(child.pid);
    }
  }
  found.delete(pid);
  return [...found];
}

const runSystemProgram: RunSystemProgram = (program, args) =>
  new Promise((resolve) => {
    const path = join(systemDirectory(process.env), program);
    const options = {
      encoding: "buffer",
      timeout: maxProgramMs,
      maxBuffer: maxOutputBytes,
      windowsHide: true,
    } as const;
    execFile(path, [...args], options, (error, stdout) => {
      const code = error === null ? 0 : typeof error.code === "number" ? error.code : -1;
      // wmic writes UTF-16; the tables are ASCII.
      resolve({ code, stdout: stdout.toString("latin1").replaceAll("\0", "") });
    });
  });

function rowsOf(text: string, row: RegExp): readonly WindowsProcess[] {
  return [...text.matchAll(row)].map(({ groups = {} }) => ({
    pid: Number(groups["pid"]),
    parent: Number(groups["parent"]),
    started: groups["started"] ?? "",
  }));
}

function end(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has exited.
  }
}
