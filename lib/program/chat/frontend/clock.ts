/**
 * The clock that decides when an open question takes keys.
 */
import { wallClock } from "../../../wire/index.ts";

export interface Clock {
  readonly now: () => number;
  /** Runs something later; calling the result cancels that. */
  readonly after: (delayMs: number, run: () => void) => () => void;
}

/** Runs after the keys that wait to be read: they may have been pressed before the time was over. */
export const systemClock: Clock = {
  now: () => performance.now(),
  after: (delayMs, run) => {
    let cancel = wallClock(delayMs, () => {
      const immediate = setImmediate(run);
      cancel = () => clearImmediate(immediate);
    });
    return () => cancel();
  },
};
