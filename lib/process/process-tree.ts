/**
 * Finds the descendants of a process, and kills what a CLI has left running.
 *
 * Descendants are found by parent, not by process group: the CLI's Bash runs in a
 * session of its own, which a signal to the CLI's group does not reach. The children of
 * a dead process get another parent; they are found by the run id in their environment,
 * where the system shows it.
 */
import {
  killProcesses,
  type ProcessRow,
  type ProcessTree,
  readProcessesByRunId,
  type RunProcess,
  type ProcessIdentity,
} from "./process-table.ts";

/** The run id of this program. The run ids of its CLIs begin with it, see `orphans.ts`. */
export const programRunId: string = crypto.randomUUID();

/** A new run id, for the processes of one CLI or one session. No run id is a prefix of another. */
export function newRunId(): string {
  return `${programRunId}.${crypto.randomUUID()}`;
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
    for (const row of next) {
      seen.add(row.pid);
      found.push(row);
    }
    level = next.map((row) => row.pid);
  }
  // An empty table could not be read; then all known processes count as running.
  const stillRunning = known.filter((one) => rows.size === 0 || rows.get(one.pid)?.started === one.started);
  const below = found.filter((row) => !row.isZombie).map(({ pid: id, started }) => ({ pid: id, started }));
  return [...below, ...stillRunning.filter((one) => !seen.has(one.pid))];
}

/**
 * Kills the processes that a CLI has left running, found by its run id. `sessions`
 * collects the sessions found over several calls, because a leader may have exited by the
 * next call. Without `leavesDaemons` all of them are killed.
 */
export async function killByRunId(
  runId: string,
  sessions: Set<number> = new Set(),
  leavesDaemons = true,
): Promise<void> {
  const processes = (await readProcessesByRunId()).get(runId) ?? [];
  await killProcesses(leavesDaemons ? abandonedOf(processes, sessions) : processes);
}

/**
 * The processes that an exited CLI has not meant to leave running: those whose session
 * leader is among them. A daemon has moved to a session whose leader has exited, and is
 * meant to stay. The session leader of a sandbox that is being set up has exited too, if it
 * was killed meanwhile: what is left of the sandbox waits for it forever.
 */
export function abandonedOf(processes: readonly RunProcess[], sessions: Set<number>): readonly RunProcess[] {
  for (const { pid, session } of processes) if (pid === session) sessions.add(session);
  return processes.filter(({ session, isSandboxSetup }) => isSandboxSetup || sessions.has(session));
}
