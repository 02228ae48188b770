/**
 * Schedules a function to run later, by real time or by a fake clock in specs.
 */

/** Calls `run` after `delayMs`; the returned function cancels it. */
export type Schedule = (delayMs: number, run: () => void) => () => void;

export const wallClock: Schedule = (delayMs, run) => {
  const timer = setTimeout(run, delayMs);
  return () => clearTimeout(timer);
};
