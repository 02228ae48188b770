/**
 * Rest: when a session nobody prompts may give its CLI back.
 *
 * Asks again later for as long as something runs in the background.
 */
import type { Schedule } from "../../wire/index.ts";

export class IdleTimer {
  readonly #after: Schedule;
  readonly #limitMs: number;
  readonly #releaseIfIdle: () => boolean;
  #cancelTimer: (() => void) | undefined;

  /** `releaseIfIdle` is false while the session must not rest. A limit of 0 is for ever. */
  constructor(after: Schedule, limitMs: number, releaseIfIdle: () => boolean) {
    this.#after = after;
    this.#limitMs = limitMs;
    this.#releaseIfIdle = releaseIfIdle;
  }

  /** Nothing is asked of the session now. */
  start(): void {
    this.stop();
    if (this.#limitMs === 0) return;
    this.#cancelTimer = this.#after(this.#limitMs, () => {
      this.#cancelTimer = undefined;
      if (!this.#releaseIfIdle()) this.start();
    });
  }

  /** Something is. */
  stop(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
  }
}
