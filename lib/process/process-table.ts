/**
 * Reads the process table of the system. Concurrent callers share a scan, and a scan
 * does not block the event loop.
 *
 * Callers that ask before a scan begins share it. A later caller gets the next scan,
 * because the running one may have missed a process that has started since. Linux is
 * read from /proc in slices of a few milliseconds, macOS with `ps`, Windows with
 * PowerShell.
 */
import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { windowsProcesses } from "../wire/index.ts";

/** A process is identified by its id and its start time, because the system reuses ids. */
export interface ProcessIdentity {
  readonly pid: number;
  /** The start time, in the unit of the system. */
  readonly started: string;
}

export interface ProcessRow extends ProcessIdentity {
  readonly parent: number;
  /** The id of the process's session; 0 where the system does not report it. */
  readonly session: number;
  readonly isZombie: boolean;
}

/** A process with a run id in its environment. */
export interface RunProcess extends ProcessRow {
  /** The first process of a sandbox that is being set up: of a PID namespace, in which it has no session yet. */
  readonly isSandboxSetup: boolean;
}

export interface ProcessTree {
  readonly rows: ReadonlyMap<number, ProcessRow>;
  readonly children: ReadonlyMap<number, readonly ProcessRow[]>;
}

/** The environment variable with the run id. Every process that a CLI starts inherits it. */
export const runIdVariable = "BOWLINE_RUN";

/** How long a scan may keep the event loop busy at a time. */
const maxSliceMs = 8;
/** How long `ps` may take. */
const maxPsMs = 2000;
const maxPsBytes = 16 * 1024 * 1024;

/**
 * Wraps `scan` so that it never runs twice at once. All callers that come before the
 * next scan begins share that scan.
 */
export function shareScan<T>(scan: () => Promise<T>): () => Promise<T> {
  let running: Promise<unknown> = Promise.resolve();
  let next: Promise<T> | undefined;
  return () => {
    if (next === undefined) {
      const begin = async (): Promise<T> => {
        // Messages that arrived in one read are all handled first, so that their callers share this scan.
        await yieldToEventLoop();
        next = undefined;
        return scan();
      };
      next = running.then(begin, begin);
      running = next;
    }
    return next;
  };
}

/** All processes, and the children of each. Empty where the system does not report them. */
export const readProcessTree: () => Promise<ProcessTree> = shareScan(async () => {
  const rows = new Map<number, ProcessRow>();
  const children = new Map<number, ProcessRow[]>();
  for (const row of await allRows()) {
    rows.set(row.pid, row);
    const siblings = children.get(row.parent);
    if (siblings === undefined) children.set(row.parent, [row]);
    else siblings.push(row);
  }
  return { rows, children };
});

/** The processes with a run id in their environment, by run id. Empty except on Linux. */
export const readProcessesByRunId: () => Promise<ReadonlyMap<string, readonly RunProcess[]>> = shareScan(async () => {
  const byRunId = new Map<string, RunProcess[]>();
  if (process.platform !== "linux") return byRunId;
  await eachProcess((name) => {
    const row = rowOf(name);
    if (row === undefined || row.isZombie) return;
    for (const runId of runIdsOf(name)) {
      const process = { ...row, isSandboxSetup: isSandboxSetup(textOf(`/proc/${name}/status`)) };
      const others = byRunId.get(runId);
      if (others === undefined) byRunId.set(runId, [process]);
      else others.push(process);
    }
  });
  return byRunId;
});

/** Kills the given processes, except ids that another process has got since. On Linux the signals are sent synchronously. */
export async function killProcesses(given: readonly ProcessIdentity[]): Promise<void> {
  if (given.length === 0) return;
  const isSame = hasProc() ? isSameInProc : isSameIn((await readProcessTree()).rows);
  for (const one of given) if (isSame(one)) sendSignal(one.pid, "SIGKILL");
}

/** A negative id is a process group. Does nothing when the process has exited. */
export function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // The process has exited.
  }
}

function isSameInProc({ pid, started }: ProcessIdentity): boolean {
  const row = rowOf(String(pid));
  return row !== undefined && !row.isZombie && row.started === started;
}

function isSameIn(rows: ReadonlyMap<number, ProcessRow>): (one: ProcessIdentity) => boolean {
  return ({ pid, started }) => rows.get(pid)?.started === started;
}

async function allRows(): Promise<readonly ProcessRow[]> {
  if (process.platform === "win32")
    return (await windowsProcesses()).map((one) => ({ ...one, session: 0, isZombie: false }));
  if (!hasProc()) return psRows();
  const rows: ProcessRow[] = [];
  await eachProcess((name) => {
    const row = rowOf(name);
    if (row !== undefined) rows.push(row);
  });
  return rows;
}

function hasProc(): boolean {
  return existsSync("/proc/self/stat");
}

/** Calls back for each process's directory in /proc, and yields to the event loop in between. */
async function eachProcess(visit: (name: string) => void): Promise<void> {
  let sliceBegan = performance.now();
  for (const name of await readdir("/proc").catch(() => [])) {
    if (!/^\d+$/.test(name)) continue;
    if (performance.now() - sliceBegan > maxSliceMs) {
      await yieldToEventLoop();
      sliceBegan = performance.now();
    }
    visit(name);
  }
}

/** Undefined when the process has ended. */
function rowOf(name: string): ProcessRow | undefined {
  const stat = textOf(`/proc/${name}/stat`);
  if (stat === "") return undefined;
  // The command's name may contain any character, even parentheses; the other fields follow the last parenthesis.
  const [state, parent, , session, ...rest] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return {
    pid: Number(name),
    parent: Number(parent),
    session: Number(session),
    // proc(5): the start time is field 22; the state is field 3, the session field 6.
    started: rest[15] ?? "",
    isZombie: state === "Z",
  };
}

/** Reads /proc/<pid>/status. Each id is listed once for each PID namespace that the process is in; 0 means a process outside of it. */
export function isSandboxSetup(status: string): boolean {
  const idsOf = (name: string): readonly string[] =>
    new RegExp(`^${name}:(.*)$`, "m").exec(status)?.[1]?.trim().split(/\s+/) ?? [];
  const pids = idsOf("NSpid");
  return pids.length > 1 && pids.at(-1) === "1" && idsOf("NSsid").at(-1) === "0";
}

function runIdsOf(name: string): readonly string[] {
  const environment = textOf(`/proc/${name}/environ`);
  if (!environment.includes(`${runIdVariable}=`)) return [];
  const prefix = `${runIdVariable}=`;
  return environment.split("\0").flatMap((entry) => (entry.startsWith(prefix) ? [entry.slice(prefix.length)] : []));
}

/** Empty when the process has ended or belongs to another user. */
function textOf(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return "";
  }
}

/** All processes where there is no /proc, as on macOS. */
export async function psRows(): Promise<readonly ProcessRow[]> {
  // The start time is written in the words of the locale, and is compared as text.
  const env = { PATH: "/usr/bin:/bin", LC_ALL: "C" };
  const options = { encoding: "utf8", timeout: maxPsMs, maxBuffer: maxPsBytes, env } as const;
  const stdout = await new Promise<string>((resolve) => {
    execFile("ps", ["-A", "-o", "pid=,ppid=,state=,lstart="], options, (_, text) => resolve(text));
  });
  return readPsRows(stdout);
}

/** Reads the output of `ps -A -o pid=,ppid=,state=,lstart=`. */
export function readPsRows(stdout: string): readonly ProcessRow[] {
  return stdout.split("\n").flatMap((line) => {
    const [pid, parent, state, ...started] = line.trim().split(/\s+/);
    if (pid === undefined || parent === undefined || state === undefined) return [];
    const isZombie = state.startsWith("Z");
    return [{ pid: Number(pid), parent: Number(parent), session: 0, started: started.join(" "), isZombie }];
  });
}

function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}
