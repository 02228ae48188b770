/**
 * Detects that the parent process has exited, by polling `process.ppid`.
 *
 * EOF on stdin is not enough: a pipe ends only when every process that holds it has
 * closed it, and a helper process of a killed editor may hold ours for ever. The timer
 * does not keep the process alive. Not supported on Windows, where the number stays.
 */

/** The polling interval. */
export const parentCheckMs = 2000;

export interface ParentOptions {
  readonly everyMs?: number | undefined;
  readonly parentOf?: (() => number) | undefined;
  readonly platform?: string | undefined;
}

/** Calls `then` once; the returned function stops polling. */
export function onParentGone(
  then: () => void,
  { everyMs = parentCheckMs, parentOf = () => process.ppid, platform = process.platform }: ParentOptions = {},
): () => void {
  const parent = parentOf();
  // A process started without a parent (as a daemon) is meant to run alone.
  if (platform === "win32" || parent <= 1) return () => {};
  let timer = later();
  return () => clearTimeout(timer);

  function later(): NodeJS.Timeout {
    return setTimeout(() => {
      if (parentOf() !== parent) return then();
      timer = later();
    }, everyMs).unref();
  }
}
