/**
 * Leftovers: what earlier runs left on this machine.
 *
 * A program that runs CLIs has an orphan guard with its run id on the command line,
 * and the marks of all that it started begin with that id: what is marked without
 * such a guard has outlived its run. Only Linux shows others' environments; elsewhere
 * none are found. Ends and removes nothing.
 */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { runIdVariable } from "./process-table.ts";

export interface OrphanProcess {
  readonly pid: number;
  /** Its program's name, without arguments. */
  readonly name: string;
}

/** Processes that a run started and that outlived it. */
export function orphanProcesses(proc = "/proc"): readonly OrphanProcess[] {
  const started: (OrphanProcess & { readonly runId: string })[] = [];
  const living = new Set<string>();
  for (const pid of namesIn(proc).filter((name) => /^\d+$/.test(name))) {
    const args = textOf(`${proc}/${pid}/cmdline`).split("\0");
    const isOrphanGuard = args.includes("bowline-orphan-guard");
    const runId = (isOrphanGuard ? args : textOf(`${proc}/${pid}/environ`).split("\0")).find(isRunId);
    if (runId === undefined) continue;
    if (isOrphanGuard) living.add(runId);
    else started.push({ pid: Number(pid), name: textOf(`${proc}/${pid}/comm`).trim(), runId });
  }
  return started.filter(({ runId }) => !living.has(runOf(runId))).map(({ pid, name }) => ({ pid, name }));
}

/** Private files (see `private-file.ts`) nobody removed; a CLI reads its own within seconds. */
export function orphanFiles(directory: string, nowMs: number): readonly string[] {
  return namesIn(directory)
    .filter((name) => /^bowline-(?:check-)?\w{6}$/.test(name))
    .map((name) => join(directory, name))
    .filter((path) => isOurs(path, nowMs - oldMs));
}

/** A run that lasts longer than this without having read its files is none. */
const oldMs = 60 * 60_000;

/** A mark is the id of its run, a dot, and what is its own. */
function runOf(runId: string): string {
  return runId.split(".", 1)[0] ?? runId;
}

function isRunId(text: string): boolean {
  return text.startsWith(`${runIdVariable}=`);
}

function isOurs(path: string, before: number): boolean {
  try {
    const { uid, mtimeMs } = statSync(path);
    return mtimeMs < before && (process.getuid === undefined || uid === process.getuid());
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

/** Empty when it ended, or is somebody else's. */
function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
