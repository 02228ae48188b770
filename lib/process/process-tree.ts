/**
 * Descendants: the processes a process has started, and those they have.
 *
 * Followed by parent, not by group: the CLI's Bash runs in a session of its own,
 * where a signal to the CLI's group does not reach it. Those of a dead process
 * belong to nobody; a mark in their environment tells them, where the system shows
 * it.
 */
import {
  killProcesses,
  type ProcessRow,
  type ProcessTree,
  readProcessesByRunId,
  type ProcessIdentity,
} from "./process-table.ts";

/** All marks of this program begin with it, see `orphans.ts`. */
export const runId: string = crypto.randomUUID();

/** A new mark, for what one CLI or one session starts. No mark is the beginning of another. */
export function newRunId(): string {
  return `${runId}.${crypto.randomUUID()}`;
}

/** All processes below `pid`, and those of `known` that still run. */
export function descendantsIn(
  { rows, children }: ProcessTree,
  pid: number,
  known: readonly ProcessIdentity[],
): readonly ProcessIdentity[] {
  const found: ProcessRow[] = [];
  const seen = new Set([pid]);
  let level = [pid];
  while (level.length > 0) {
    const next = level.flatMap((parent) => children.get(parent) ?? []).filter((row) => !seen.has(row.pid));
    for (const row of next) seen.add(row.pid);
    found.push(...next);
    level = next.map((row) => row.pid);
  }
  // A table that could not be read says nothing about those known before.
  const still = known.filter((one) => rows.size === 0 || rows.get(one.pid)?.started === one.started);
  const below = found.filter((row) => !row.isZombie).map(({ pid: id, started }) => ({ pid: id, started }));
  return [...below, ...still.filter((one) => !seen.has(one.pid))];
}

/**
 * Kills what a CLI that is gone has left running. A command runs in a session whose
 * first process is there; one that left it, as daemons do, meant to stay. `sessions`
 * are those found before, whose first process may be gone by now; it grows.
 */
export async function killByRunId(runId: string, sessions: Set<number> = new Set()): Promise<void> {
  const marked = (await readProcessesByRunId()).get(runId) ?? [];
  for (const { pid, session } of marked) if (pid === session) sessions.add(session);
  await killProcesses(marked.filter(({ session }) => sessions.has(session)));
}
