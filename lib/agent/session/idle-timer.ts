/**
 * Idle timeout of a session: after `limitMs` without a prompt the session releases its engine.
 *
 * Claude stops the CLI of the session. Codex unloads the thread; its app-server runs on while
 * other sessions use it. Neither happens while a turn runs (`Session`) or the engine is busy
 * (`Conversation.release`): then the timer starts again. The session stays open, and its next
 * prompt resumes the conversation.
 */
import type { Schedule } from "../../wire/index.ts";

export class IdleTimer {
  readonly #after: Schedule;
  readonly #limitMs: number;
  readonly #releaseIfIdle: () => boolean;
  #cancelTimer: (() => void) | undefined;

  /** `releaseIfIdle` returns false when the engine has to keep running. A limit of 0 disables the timer. */
  constructor(after: Schedule, limitMs: number, releaseIfIdle: () => boolean) {
    this.#after = after;
    this.#limitMs = limitMs;
    this.#releaseIfIdle = releaseIfIdle;
  }

  /** Called when a prompt was answered, and when the client gets to know the session: the timer starts anew. */
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
