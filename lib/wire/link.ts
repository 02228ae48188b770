/**
 * Link: a two-way stream of lines, whatever carries it.
 *
 * Stdio, a child process, a memory pair, web streams and a tape are all links.
 * A link ends exactly once and says why.
 */
import type { LineCallbacks } from "./line-reader.ts";
import type { OutboxLimits } from "./outbox.ts";

export interface LinkCallbacks extends LineCallbacks {
  /** The other side has caught up after `send` answered false. */
  readonly onDrain: () => void;
  /** The other side sends no more. We may still send. */
  readonly onEnd: () => void;
  /** Nothing passes any more in either direction. Called once, the last of all. */
  readonly onClose: (reason: string) => void;
}

export interface Link {
  /** Starts delivery, never within this call. Called once. */
  readonly open: (callbacks: LinkCallbacks) => void;
  /** Queues one line. False: the other side lags, `onDrain` will follow. */
  readonly send: (line: string) => boolean;
  /** Stops reading, so that the other side feels the pressure. */
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

/** Not at once: the other lines of the chunk being read come first. */
export function reportClosed(callbacks: LinkCallbacks, reason: string): void {
  queueMicrotask(() => callbacks.onClose(reason));
}
