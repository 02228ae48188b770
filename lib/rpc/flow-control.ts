/**
 * Flow: when to stop reading, and when writing may go on.
 *
 * Keeps memory bounded against a peer that sends faster than handlers work or
 * does not collect its answers, without ever letting two peers wait for each
 * other. Reads no stream itself; the peer brings the link.
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
  #waiters: (() => void)[] = [];

  constructor(link: Link, notifications: NotificationQueue, pending: PendingCalls, maxWaiting: number) {
    this.#link = link;
    this.#notifications = notifications;
    this.#pending = pending;
    this.#maxWaiting = maxWaiting;
  }

  /** Sends a line. False: the other side lags or is gone. */
  send(line: string): boolean {
    if (this.#closedBecause !== undefined) return false;
    const keepsUp = this.#link.send(line);
    if (!keepsUp) this.#isLagging = true;
    return keepsUp;
  }

  /** Sends an answer. While answers pile up, no new requests are read. */
  answer(line: string): void {
    if (this.send(line)) return;
    this.#doAnswersLag = true;
    this.update();
  }

  /** Resolves at once while the other side keeps up; rejects when it is gone. */
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

  /** From here on nothing is sent, and what still comes in is let through to its end. */
  closed(reason: string): void {
    this.#closedBecause ??= reason;
    this.#wake();
    this.update();
  }

  /**
   * Reading stops in two cases. Too many notifications keep slow handlers busy,
   * unless one of those handlers may be waiting for the peer: for an answer that
   * is still in the pipe (a call was made after it began) or for room to write,
   * which a peer as crowded as we are makes only when we read. Or the peer does
   * not collect its answers while it owes us none; one that does may be waiting
   * for us to read.
   */
  update(): void {
    const shouldPause =
      this.#closedBecause === undefined && (this.#isCrowded() || (this.#doAnswersLag && !this.#pending.isOwed));
    if (shouldPause === this.#isPaused) return;
    this.#isPaused = shouldPause;
    if (shouldPause) this.#link.pause();
    else this.#link.resume();
  }

  #isCrowded(): boolean {
    if (this.#notifications.unfinishedCount <= this.#maxWaiting || this.#waiters.length > 0) return false;
    const oldest = this.#notifications.oldestMark;
    return oldest !== undefined && !this.#pending.hasSince(oldest);
  }

  #wake(): void {
    const waiters = this.#waiters;
    this.#waiters = [];
    for (const wake of waiters) wake();
  }
}
