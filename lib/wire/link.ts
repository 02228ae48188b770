/**
 * Defines `Link`: a two-way stream of lines, independent of its transport.
 *
 * Stdio, a child process, a memory pair, web streams and a tape are all links.
 * A link closes exactly once and reports the reason.
 */
import type { LineCallbacks } from "./line-reader.ts";
import type { OutboxLimits } from "./outbox.ts";

export interface LinkCallbacks extends LineCallbacks {
  /** The other side has caught up after `send` returned false. */
  readonly onDrain: () => void;
  /** The other side has ended its output. `send` still works. */
  readonly onEnd: () => void;
  /** The link is closed in both directions. Called once, after all other callbacks. */
  readonly onClose: (reason: string) => void;
}

export interface Link {
  /** Starts delivery, but calls nothing before it returns. To be called once. */
  readonly open: (callbacks: LinkCallbacks) => void;
  /** Queues one line. Returns false when the other side lags; `onDrain` follows. */
  readonly send: (line: string) => boolean;
  /** Stops reading, which puts backpressure on the other side. */
  readonly pause: () => void;
  readonly resume: () => void;
  /** Sends what is queued, then ends the link. */
  readonly close: (reason: string) => void;
}

export interface LinkLimits extends OutboxLimits {
  readonly maxLineBytes?: number | undefined;
}

export function describeOverflow(maxQueuedChars: number): string {
  return `the other side does not read: more than ${maxQueuedChars} characters wait`;
}

/** Calls `onClose` in a microtask, because the remaining lines of the current chunk come first. */
export function reportClosed(callbacks: LinkCallbacks, reason: string): void {
  queueMicrotask(() => callbacks.onClose(reason));
}
