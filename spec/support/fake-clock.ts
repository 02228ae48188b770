/**
 * A fake clock: time passes only when a spec advances it.
 */
import type { Schedule } from "../../lib/wire/index.ts";

export interface StoppedClock {
  readonly after: Schedule;
  /** Lets time pass; whatever falls due runs in its order. */
  readonly pass: (ms: number) => void;
}

export function stoppedClock(): StoppedClock {
  let now = 0;
  const due = new Set<{ readonly at: number; readonly run: () => void }>();
  return {
    after: (delayMs, run) => {
      const one = { at: now + delayMs, run };
      due.add(one);
      return () => due.delete(one);
    },
    pass: (ms) => {
      const until = now + ms;
      for (;;) {
        const [next] = [...due].filter(({ at }) => at <= until).sort((left, right) => left.at - right.at);
        if (next === undefined) break;
        due.delete(next);
        now = next.at;
        next.run();
      }
      now = until;
    },
  };
}
