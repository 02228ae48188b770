/**
 * Finds the processes that are alive, from /proc (Linux).
 *
 * A process belongs to a test when the test's directory is in its environment, its
 * command line or its working directory, even if it left its group, its session and its
 * parent. Zombies do not count as alive.
 */
import { readFileSync, readdirSync, readlinkSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";

export interface ProcessEntry {
  readonly pid: number;
  readonly parent: number;
  /** The letter of /proc/<pid>/stat: R, S, D, T, Z... */
  readonly state: string;
  readonly command: string;
}

interface Row extends ProcessEntry {
  readonly belongings: string;
}

/** Living children of this process, and theirs. */
export function descendants(pid: number): readonly ProcessEntry[] {
  const rows = table().filter(isAlive);
  const found: ProcessEntry[] = [];
  const seen = new Set([pid]);
  for (let before = -1; before !== found.length;) {
    before = found.length;
    for (const row of rows) {
      if (seen.has(row.pid) || !seen.has(row.parent)) continue;
      seen.add(row.pid);
      found.push(entry(row));
    }
  }
  return found;
}

/** Living processes that belong to this directory, wherever they hang in the tree; never the caller itself. */
export function leftovers(directory: string): readonly ProcessEntry[] {
  return table()
    .filter((row) => row.pid !== process.pid && isAlive(row) && row.belongings.includes(directory))
    .map(entry);
}

/** Waits until no process that belongs to the directory is alive, and returns what is left at the limit. */
export function waitUntilGone(directory: string, limitMs = 5_000): Promise<readonly ProcessEntry[]> {
  return waitUntil(directory, (left) => left.length === 0, limitMs);
}

/** Waits for a process of the directory with this, and that, in its command line. */
export async function waitForCommand(
  directory: string,
  command: string,
  limitMs = 10_000,
  and = "",
): Promise<ProcessEntry> {
  // The programs that hand a command to the editor's terminal have it on their command line before it runs.
  const is = (entry: ProcessEntry): boolean =>
    entry.command.includes(command) &&
    entry.command.includes(and) &&
    !/terminal-client|shell-prefix/.test(entry.command);
  const alive = await waitUntil(directory, (all) => all.some(is), limitMs);
  const found = alive.find(is);
  if (found !== undefined) return found;
  const seen = alive.map((entry) => `  ${entry.pid} ${entry.command.slice(0, 200)}`);
  throw new Error(`no process "${command}" within ${limitMs} ms; alive:\n${seen.join("\n")}`);
}

/**
 * Waits until the living processes of a directory are as wanted and gives them, or
 * those at the limit. The life of a stranger's child raises no event, so this is
 * the one place that looks again and again.
 */
export async function waitUntil(
  directory: string,
  isDone: (alive: readonly ProcessEntry[]) => boolean,
  limitMs = 5_000,
): Promise<readonly ProcessEntry[]> {
  const deadline = performance.now() + limitMs;
  for (;;) {
    const alive = leftovers(directory);
    if (isDone(alive) || performance.now() > deadline) return alive;
    await pause(20);
  }
}

/** For the end of a failed test: kills all its processes. */
export function killLeftovers(directory: string): void {
  for (const { pid } of leftovers(directory)) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // Gone between the look and the signal.
    }
  }
}

/** The CPU time of a process, in the system's ticks of usually 10 ms; -1 when it has exited. */
export function cpuTicks(pid: number): number {
  const stat = readQuietly(() => readFileSync(`/proc/${pid}/stat`, "utf8"));
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return stat === "" ? -1 : Number(fields[11]) + Number(fields[12]);
}

/** The private memory of a process. */
export function privateKb(pid: number): number {
  const rollup = readQuietly(() => readFileSync(`/proc/${pid}/smaps_rollup`, "utf8"));
  return [...rollup.matchAll(/^Private_\w+:\s+(\d+)/gm)].reduce((sum, [, kb]) => sum + Number(kb), 0);
}

export function residentKb(pid: number): number {
  const status = readQuietly(() => readFileSync(`/proc/${pid}/status`, "utf8"));
  return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0);
}

export function openFiles(pid: number): number {
  try {
    return readdirSync(`/proc/${pid}/fd`).length;
  } catch {
    return 0;
  }
}

function isAlive({ state }: ProcessEntry): boolean {
  return state !== "Z" && state !== "X";
}

function entry({ pid, parent, state, command }: Row): ProcessEntry {
  return { pid, parent, state, command };
}

function table(): readonly Row[] {
  const rows: Row[] = [];
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    const stat = readQuietly(() => readFileSync(`/proc/${name}/stat`, "utf8"));
    // The command's name is in parentheses and may itself contain some.
    const [state, parent] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    if (state === undefined || parent === undefined) continue;
    const command = readQuietly(() => readFileSync(`/proc/${name}/cmdline`, "utf8"))
      .replaceAll("\0", " ")
      .trim();
    const environment = readQuietly(() => readFileSync(`/proc/${name}/environ`, "utf8"));
    const cwd = readQuietly(() => readlinkSync(`/proc/${name}/cwd`));
    const belongings = `${command}\n${environment}\n${cwd}`;
    rows.push({ pid: Number(name), parent: Number(parent), state, command, belongings });
  }
  return rows;
}

/** A process may exit between two reads, or belong to another user. */
function readQuietly(read: () => string): string {
  try {
    return read();
  } catch {
    return "";
  }
}
