/**
 * Descendants: the processes a process has started, and those they have.
 *
 * Followed by parent, not by group: the CLI's Bash runs in a session of its own,
 * where a signal to the CLI's group does not reach it. A process is known by its
 * id and its start, so an id that was given out again is never mistaken for it.
 * Those of a dead process belong to nobody; a mark in their environment tells
 * them, where the system shows it.
 */
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";

export interface Running {
  readonly pid: number;
  /** When it started, in whatever unit the system tells. */
  readonly started: string;
}

interface Row extends Running {
  readonly parent: number;
  /** The process whose terminal session it runs in; 0 where the system does not tell. */
  readonly session: number;
  readonly isZombie: boolean;
}

/** All processes below `pid`, nearest first. Empty when the system does not tell. */
export function descendantsOf(pid: number): readonly Running[] {
  const children = new Map<number, Row[]>();
  for (const row of allRows()) {
    const siblings = children.get(row.parent);
    if (siblings === undefined) children.set(row.parent, [row]);
    else siblings.push(row);
  }
  const found: Row[] = [];
  const seen = new Set([pid]);
  let level = [pid];
  while (level.length > 0) {
    const next = level.flatMap((parent) => children.get(parent) ?? []).filter((row) => !seen.has(row.pid));
    for (const row of next) seen.add(row.pid);
    found.push(...next);
    level = next.map((row) => row.pid);
  }
  return found.filter((row) => !row.isZombie).map(({ pid: id, started }) => ({ pid: id, started }));
}

/** Those of the given processes that still run and are still the same. */
export function stillRunning(given: readonly Running[]): readonly Running[] {
  if (given.length === 0) return given;
  const starts = new Map<number, string>();
  for (const row of allRows()) if (!row.isZombie) starts.set(row.pid, row.started);
  return given.filter(({ pid, started }) => starts.get(pid) === started);
}

/** The variable that marks all that a CLI starts, however far it gets from it. */
export const markName = "BOWLINE_RUN";

/**
 * What a CLI that is gone has left running. A command runs in a session whose first
 * process is there; one that left it, as daemons do, meant to stay. `sessions` are
 * those found before, whose first process may be gone by now; it grows.
 */
function leftRunning(mark: string, sessions: Set<number>): readonly Running[] {
  const rows = process.platform === "linux" ? procRows() : [];
  const marked = rows.filter(({ pid, isZombie }) => !isZombie && isMarked(pid, mark));
  for (const { pid, session } of marked) if (pid === session) sessions.add(session);
  return marked.filter(({ session }) => sessions.has(session)).map(({ pid, started }) => ({ pid, started }));
}

/** Ends them. */
export function endMarked(mark: string, sessions: Set<number> = new Set()): void {
  for (const { pid } of leftRunning(mark, sessions)) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // Already gone, which is what was wanted.
    }
  }
}

function isMarked(pid: number, mark: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/environ`, "latin1").includes(`${markName}=${mark}`);
  } catch {
    // It ended, or it is somebody else's.
    return false;
  }
}

function allRows(): readonly Row[] {
  if (process.platform === "win32") return [];
  return existsSync("/proc/self/stat") ? procRows() : psRows();
}

function procRows(): readonly Row[] {
  const rows: Row[] = [];
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const stat = readFileSync(`/proc/${name}/stat`, "latin1");
      // The command's name may hold anything, even parentheses; the rest follows its last one.
      const [state, parent, , session, ...rest] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      rows.push({
        pid: Number(name),
        parent: Number(parent),
        session: Number(session),
        // proc(5): the start time is field 22; the state is field 3, the session field 6.
        started: rest[15] ?? "",
        isZombie: state === "Z",
      });
    } catch {
      // It ended while we read.
    }
  }
  return rows;
}

function psRows(): readonly Row[] {
  const { stdout } = spawnSync("ps", ["-A", "-o", "pid=,ppid=,state=,lstart="], { encoding: "utf8" });
  return (stdout ?? "").split("\n").flatMap((line) => {
    const [pid, parent, state, ...started] = line.trim().split(/\s+/);
    if (pid === undefined || parent === undefined || state === undefined) return [];
    const isZombie = state.startsWith("Z");
    return [{ pid: Number(pid), parent: Number(parent), session: 0, started: started.join(" "), isZombie }];
  });
}
