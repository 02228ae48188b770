/**
 * Schedules a function to run later: by `setTimeout`, or by a fake clock in specs.
 */

/** Calls `run` after `delayMs`; the returned function cancels it. */
export type Schedule = (delayMs: number, run: () => void) => () => void;

/** The schedule that the program uses: `setTimeout`. */
export const realTimer: Schedule = (delayMs, run) => {
  const timer = setTimeout(run, delayMs);
  return () => clearTimeout(timer);
};
