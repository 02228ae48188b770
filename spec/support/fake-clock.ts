/**
 * A fake clock: time passes only when a spec advances it.
 */
import type { Schedule } from "../../lib/wire/index.ts";

export interface FakeClock {
  readonly after: Schedule;
  /** Lets time pass; due timers run in order. */
  readonly advance: (ms: number) => void;
  /** The milliseconds that have passed. */
  readonly now: () => number;
  /** How many timers wait. */
  readonly pending: () => number;
}

export function fakeClock(): FakeClock {
  let now = 0;
  const timers = new Set<{ readonly at: number; readonly run: () => void }>();
  return {
    after: (delayMs, run) => {
      const timer = { at: now + delayMs, run };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    advance: (ms) => {
      const until = now + ms;
      for (;;) {
        const [next] = [...timers].filter(({ at }) => at <= until).sort((left, right) => left.at - right.at);
        if (next === undefined) break;
        timers.delete(next);
        now = next.at;
        next.run();
      }
      now = until;
    },
    now: () => now,
    pending: () => timers.size,
  };
}
