/**
 * Idle timeout of a session: after `limitMs` without a prompt it stops the engine's process.
 *
 * The process is stopped if no turn runs (`Session`) and the engine is not busy
 * (`Conversation.release`); otherwise the timer starts again. The session stays open: its
 * next prompt starts a process that resumes the conversation.
 */
import type { Schedule } from "../../wire/index.ts";

export class IdleTimer {
  readonly #after: Schedule;
  readonly #limitMs: number;
  readonly #releaseIfIdle: () => boolean;
  #cancelTimer: (() => void) | undefined;

  /** `releaseIfIdle` returns false when the process has to keep running. A limit of 0 disables the timer. */
  constructor(after: Schedule, limitMs: number, releaseIfIdle: () => boolean) {
    this.#after = after;
    this.#limitMs = limitMs;
    this.#releaseIfIdle = releaseIfIdle;
  }

  /** Called when a prompt was answered: the timer starts anew. */
  start(): void {
    this.stop();
    if (this.#limitMs === 0) return;
    this.#cancelTimer = this.#after(this.#limitMs, () => {
      this.#cancelTimer = undefined;
      if (!this.#releaseIfIdle()) this.start();
    });
  }

  /** Called when a prompt arrives or the session is closed. */
  stop(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
  }
}
