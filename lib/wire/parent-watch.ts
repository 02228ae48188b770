/**
 * Detects that the parent process has exited, by polling `process.ppid`.
 *
 * EOF on stdin is not enough: a pipe ends only when every process that holds it has
 * closed it, and a helper process of a killed editor may hold ours for ever. The timer
 * does not keep the process alive. On Windows `process.ppid` stays the same, so the
 * parent itself is looked for.
 */

import { codeOf } from "./error-text.ts";

/** The polling interval. */
export const parentCheckMs = 2000;

export interface ParentOptions {
  readonly everyMs?: number | undefined;
  readonly parentOf?: (() => number) | undefined;
  readonly platform?: string | undefined;
  /** Whether a process with this id runs. */
  readonly isRunning?: ((pid: number) => boolean) | undefined;
}

/** Calls `then` once; the returned function stops polling. */
export function onParentGone(
  then: () => void,
  {
    everyMs = parentCheckMs,
    parentOf = () => process.ppid,
    platform = process.platform,
    isRunning = isProcessRunning,
  }: ParentOptions = {},
): () => void {
  const parent = parentOf();
  // A process started without a parent (as a daemon) is meant to run alone.
  if (parent <= 1) return () => {};
  let timer = later();
  return () => clearTimeout(timer);

  function later(): NodeJS.Timeout {
    return setTimeout(() => {
      if (platform === "win32" ? !isRunning(parent) : parentOf() !== parent) return then();
      timer = later();
    }, everyMs).unref();
  }
}

function isProcessRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // The process runs, but belongs to another user.
    return codeOf(error) === "EPERM";
  }
}
