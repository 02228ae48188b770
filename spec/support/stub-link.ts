/**
 * Stub link: a link in a spec's own hands.
 *
 * Lines are delivered by `say`, at once and even while paused, as a stream does
 * with the rest of its chunk. Keeps what was sent and counts nothing as lagging
 * unless told.
 */
import type { Link, LinkCallbacks } from "../../lib/wire/index.ts";

export class StubLink implements Link {
  readonly sent: string[] = [];
  isPaused = false;
  isLagging = false;
  closeReason: string | undefined;
  #callbacks: LinkCallbacks | undefined;

  open(callbacks: LinkCallbacks): void {
    this.#callbacks = callbacks;
  }

  send(line: string): boolean {
    this.sent.push(line);
    return !this.isLagging;
  }

  pause(): void {
    this.isPaused = true;
  }

  resume(): void {
    this.isPaused = false;
  }

  close(reason: string): void {
    this.closeReason ??= reason;
  }

  say(line: string): void {
    this.#callbacks?.onLine(line);
  }

  /** The other side has caught up. */
  drain(): void {
    this.isLagging = false;
    this.#callbacks?.onDrain();
  }

  /** The other side sends no more. */
  end(): void {
    this.#callbacks?.onEnd();
  }

  /** Nothing passes any more. */
  finish(reason: string): void {
    this.#callbacks?.onClose(reason);
  }
}
