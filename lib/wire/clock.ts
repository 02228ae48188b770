/**
 * Clock: running something later, by the time on the wall or by a spec's own.
 */

/** Runs something later; the answer calls it off. */
export type Schedule = (delayMs: number, run: () => void) => () => void;

export const wallClock: Schedule = (delayMs, run) => {
  const timer = setTimeout(run, delayMs);
  return () => clearTimeout(timer);
};
