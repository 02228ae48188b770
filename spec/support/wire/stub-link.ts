/**
 * A link that the spec controls.
 *
 * `say` delivers lines at once and even while paused, as a stream does with the rest of
 * its chunk. Keeps what was sent and reports no lag unless told to.
 */
import type { Link, LinkCallbacks } from "../../../lib/wire/index.ts";

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
