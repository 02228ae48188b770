/**
 * Parent: says when the process that started this one is gone.
 *
 * A pipe ends only when the last who holds it lets go, and a helper of a killed
 * editor may hold ours for ever. Looks at a number now and then; keeps nothing
 * alive. Windows does not tell.
 */

/** How long it may take to be noticed. */
export const parentCheckMs = 2000;

export interface ParentOptions {
  readonly everyMs?: number | undefined;
  readonly parentOf?: (() => number) | undefined;
  readonly platform?: string | undefined;
}

/** Calls back once; what it returns calls that off. */
export function onParentGone(
  then: () => void,
  { everyMs = parentCheckMs, parentOf = () => process.ppid, platform = process.platform }: ParentOptions = {},
): () => void {
  const parent = parentOf();
  // One that began without a parent is meant to be alone.
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
