/**
 * Finds, for `bowline doctor`, processes and files that earlier runs of the program left on
 * this machine. Ends no process and removes no file: orphan-guard.ts does that.
 *
 * A program that runs CLIs has an orphan guard with the program's run id on its command line.
 * Every process that the program started has a run id in its environment that begins with the
 * program's run id. A process with a run id whose program has no guard has outlived its program.
 * Only Linux shows the environment of other processes; elsewhere no process is found.
 */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { runIdVariable } from "./process-table.ts";

export interface OrphanProcess {
  readonly pid: number;
  /** The program's name, without arguments. */
  readonly name: string;
}

export function orphanProcesses(proc = "/proc"): readonly OrphanProcess[] {
  const started: (OrphanProcess & { readonly runId: string })[] = [];
  const guarded = new Set<string>();
  for (const pid of namesIn(proc).filter((name) => /^\d+$/.test(name))) {
    const args = textOf(`${proc}/${pid}/cmdline`).split("\0");
    const isOrphanGuard = args.includes("bowline-orphan-guard");
    const runId = (isOrphanGuard ? args : textOf(`${proc}/${pid}/environ`).split("\0")).find(isRunIdEntry);
    if (runId === undefined) continue;
    if (isOrphanGuard) guarded.add(runId);
    else started.push({ pid: Number(pid), name: textOf(`${proc}/${pid}/comm`).trim(), runId });
  }
  return started.filter(({ runId }) => !guarded.has(programRunIdOf(runId))).map(({ pid, name }) => ({ pid, name }));
}

/** Private files (see `private-file.ts`) of this user that are older than `oldMs`. One with a socket has no keys, and may be in use. */
export function orphanFiles(directory: string, nowMs: number): readonly string[] {
  return namesIn(directory)
    .filter((name) => /^bowline-(?:check-)?\w{6}$/.test(name))
    .map((name) => join(directory, name))
    .filter((path) => isOwnAndOlder(path, nowMs - oldMs) && !existsSync(join(path, "socket")));
}

/** A CLI reads its private file within seconds, so an older file has no CLI any more. */
const oldMs = 60 * 60_000;

/** The program's part of a run id, which is followed by a dot and the id of one CLI. */
function programRunIdOf(runId: string): string {
  return runId.split(".", 1)[0] ?? runId;
}

function isRunIdEntry(text: string): boolean {
  return text.startsWith(`${runIdVariable}=`);
}

function isOwnAndOlder(path: string, beforeMs: number): boolean {
  try {
    const { uid, mtimeMs } = statSync(path);
    return mtimeMs < beforeMs && (process.getuid === undefined || uid === process.getuid());
  } catch {
    return false;
  }
}

function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

/** Empty when the process has ended or belongs to another user. */
function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
