/**
 * The clock that decides when an open question accepts keys; specs pass a fake one.
 */
import { realTimer } from "../../../wire/index.ts";

export interface Clock {
  readonly now: () => number;
  /** Runs a function later; the returned function cancels it. */
  readonly after: (delayMs: number, run: () => void) => () => void;
}

/** `after` runs behind keys that are already waiting in stdin, because they may have been pressed before the time was over. */
export const systemClock: Clock = {
  now: () => performance.now(),
  after: (delayMs, run) => {
    let cancel = realTimer(delayMs, () => {
      const immediate = setImmediate(run);
      cancel = () => clearImmediate(immediate);
    });
    return () => cancel();
  },
};
