/**
 * A clock for questions and lists of the chat that the spec advances.
 */
import type { Clock } from "../../../../lib/program/chat/frontend/clock.ts";

export class HandClock implements Clock {
  #nowMs = 0;
  #timers: { readonly atMs: number; readonly run: () => void }[] = [];
  readonly now = (): number => this.#nowMs;
  readonly after: Clock["after"] = (delayMs, run) => {
    const timer = { atMs: this.#nowMs + delayMs, run };
    this.#timers.push(timer);
    return () => void (this.#timers = this.#timers.filter((one) => one !== timer));
  };

  get pending(): number {
    return this.#timers.length;
  }

  pass(ms: number): void {
    const end = this.#nowMs + ms;
    for (;;) {
      const [next] = this.#timers.filter(({ atMs }) => atMs <= end).toSorted((a, b) => a.atMs - b.atMs);
      if (next === undefined) break;
      this.#timers = this.#timers.filter((one) => one !== next);
      this.#nowMs = next.atMs;
      next.run();
    }
    this.#nowMs = end;
  }
}
