/**
 * A directory for one run of the specs: `.cache/specs/<process id>`.
 *
 * Runs in the same clone do not disturb each other. It is removed when the run ends, and
 * those of runs that were killed at the next run.
 */
import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";

export function runDirectory(root: string): string {
  const all = join(root, ".cache", "specs");
  mkdirSync(all, { recursive: true });
  for (const name of readdirSync(all))
    if (!isRunning(Number(name))) rmSync(join(all, name), { recursive: true, force: true });
  const own = join(all, String(process.pid));
  process.on("exit", () => rmSync(own, { recursive: true, force: true }));
  return own;
}

function isRunning(pid: number): boolean {
  if (!Number.isInteger(pid)) return false;
  try {
    return process.kill(pid, 0);
  } catch (cause) {
    // Another user's process is not ours to signal.
    return cause instanceof Error && "code" in cause && cause.code === "EPERM";
  }
}
