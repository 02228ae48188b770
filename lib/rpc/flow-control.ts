/**
 * Flow control of a connection: decides when to stop reading and when to write again.
 *
 * Bounds memory when the peer sends faster than handlers finish, or does not read our
 * responses, and never makes two peers wait for each other. Does not read the link
 * itself; it only pauses and resumes it.
 */
import type { Link } from "../wire/index.ts";
import { ConnectionClosed } from "./errors.ts";
import type { NotificationQueue } from "./notification-queue.ts";
import type { PendingCalls } from "./pending-calls.ts";

export class FlowControl {
  readonly #link: Link;
  readonly #notifications: NotificationQueue;
  readonly #pending: PendingCalls;
  readonly #maxWaiting: number;
  #closedBecause: string | undefined;
  #isPaused = false;
  #isLagging = false;
  #doAnswersLag = false;
  /** More than `maxWaiting` notifications were unhandled at the last look. */
  #hasBacklog = false;
  #waiters: (() => void)[] = [];

  constructor(link: Link, notifications: NotificationQueue, pending: PendingCalls, maxWaiting: number) {
    this.#link = link;
    this.#notifications = notifications;
    this.#pending = pending;
    this.#maxWaiting = maxWaiting;
  }

  /** Sends a line. Returns false when the peer lags or is gone. */
  send(line: string): boolean {
    if (this.#closedBecause !== undefined) return false;
    const keepsUp = this.#link.send(line);
    if (!keepsUp) this.#isLagging = true;
    return keepsUp;
  }

  /** Sends a response. While responses pile up, no new requests are read. */
  answer(line: string): void {
    if (this.send(line)) return;
    this.#doAnswersLag = true;
    this.update();
  }

  /** Resolves as soon as the peer does not lag; rejects when the connection is closed. */
  async whenWritable(): Promise<void> {
    if (this.#isLagging && this.#closedBecause === undefined)
      await new Promise<void>((resolve) => {
        this.#waiters.push(resolve);
        this.update();
      });
    if (this.#closedBecause !== undefined) throw new ConnectionClosed(this.#closedBecause);
  }

  drained(): void {
    this.#isLagging = false;
    this.#doAnswersLag = false;
    this.#wake();
    this.update();
  }

  /** Stops sending, and lets the remaining input through. */
  closed(reason: string): void {
    this.#closedBecause ??= reason;
    this.#wake();
    this.update();
  }

  /**
   * Pauses reading when (a) more than `maxWaiting` notifications are unhandled, unless a
   * handler may itself be waiting for the peer (for a response to a call made after the
   * handler began, or for space to write), or (b) the peer does not read our responses
   * and owes us none. The exceptions prevent two full peers from deadlocking: each
   * would wait for the other to read.
   */
  update(): void {
    const shouldPause =
      this.#closedBecause === undefined && (this.#isCrowded() || (this.#doAnswersLag && !this.#pending.isOwed));
    if (shouldPause === this.#isPaused) return;
    this.#isPaused = shouldPause;
    if (shouldPause) this.#link.pause();
    else this.#link.resume();
  }

  /** One of our calls was sent or answered. It matters only while something lags. */
  callsChanged(): void {
    if (this.#isPaused || this.#hasBacklog || this.#doAnswersLag) this.update();
  }

  #isCrowded(): boolean {
    this.#hasBacklog = this.#notifications.unfinishedCount > this.#maxWaiting;
    if (!this.#hasBacklog || this.#waiters.length > 0) return false;
    const oldest = this.#notifications.oldestCallIdAtStart;
    return oldest !== undefined && !this.#pending.hasSince(oldest);
  }

  #wake(): void {
    const waiters = this.#waiters;
    this.#waiters = [];
    for (const wake of waiters) wake();
  }
}
