/**
 * Connects two links in memory, so that two peers can talk within one process.
 *
 * Lines arrive in order and never within the call that sent them. A paused receiver
 * causes backpressure, as it does on a real pipe.
 */
import { defaultMaxLineBytes } from "./line-reader.ts";
import { describeOverflow, type Link, type LinkCallbacks, type LinkLimits, reportClosed } from "./link.ts";
import { Outbox } from "./outbox.ts";

/** Two connected links in one process: what one sends, the other receives. */
export function memoryPair(limits: LinkLimits = {}): readonly [Link, Link] {
  const left = new MemoryLink(limits);
  const right = new MemoryLink(limits);
  left.far = right;
  right.far = left;
  return [left, right];
}

class MemoryLink implements Link {
  far: MemoryLink | undefined;
  #callbacks: LinkCallbacks | undefined;
  #isPaused = false;
  #closeReason: string | undefined;
  #hasFarEnded = false;
  #arrived: string[] = [];
  /** How many of the arrived lines were delivered. Shifting lines out one by one would be quadratic. */
  #deliveredCount = 0;
  readonly #maxLineChars: number;
  readonly #outbox: Outbox;

  constructor(limits: LinkLimits) {
    this.#maxLineChars = limits.maxLineBytes ?? defaultMaxLineBytes;
    this.#outbox = new Outbox(
      {
        write: (text) => this.far?.receive(text) ?? true,
        defer: queueMicrotask,
        onDrain: () => this.#callbacks?.onDrain(),
        onOverflow: (maxQueuedChars) => this.#finish(describeOverflow(maxQueuedChars)),
      },
      limits,
    );
  }

  readonly open = (callbacks: LinkCallbacks): void => {
    this.#callbacks = callbacks;
    if (this.#closeReason === undefined) queueMicrotask(this.#deliver);
    else reportClosed(callbacks, this.#closeReason);
  };

  readonly send = (line: string): boolean => this.#outbox.send(line);

  readonly pause = (): void => {
    this.#isPaused = true;
  };

  readonly resume = (): void => {
    this.#isPaused = false;
    queueMicrotask(this.#deliver);
  };

  readonly close = (reason: string): void => {
    if (this.#closeReason !== undefined) return;
    // The far side buffers what it cannot deliver yet, so all queued lines can be written now.
    do this.#outbox.writable();
    while (!this.#outbox.isEmpty);
    this.#finish(reason);
  };

  /** Takes text from the far side. Returns false while the text has to wait. */
  receive(text: string): boolean {
    if (this.#closeReason !== undefined) return true;
    // The outbox ends every write with a newline.
    for (const line of text.slice(0, -1).split("\n")) this.#arrived.push(line);
    if (this.#callbacks === undefined || this.#isPaused) return false;
    queueMicrotask(this.#deliver);
    return true;
  }

  /** The far side has delivered all that was sent. */
  caughtUp(): void {
    this.#outbox.writable();
  }

  farEnded(): void {
    this.#hasFarEnded = true;
    queueMicrotask(this.#deliver);
  }

  readonly #deliver = (): void => {
    const callbacks = this.#callbacks;
    if (callbacks === undefined) return;
    while (!this.#isPaused && this.#closeReason === undefined) {
      const line = this.#arrived[this.#deliveredCount];
      if (line === undefined) break;
      this.#deliveredCount++;
      if (this.#deliveredCount * 2 > this.#arrived.length) this.#forgetDelivered();
      if (line.length > this.#maxLineChars) callbacks.onFault({ kind: "too-long", maxLineBytes: this.#maxLineChars });
      else if (line.trim() !== "") callbacks.onLine(line);
    }
    if (this.#isPaused || this.#closeReason !== undefined) return;
    this.far?.caughtUp();
    if (this.#hasFarEnded && this.#arrived.length === 0) {
      this.#hasFarEnded = false;
      callbacks.onEnd();
    }
  };

  #forgetDelivered(): void {
    this.#arrived = this.#arrived.slice(this.#deliveredCount);
    this.#deliveredCount = 0;
  }

  #finish(reason: string): void {
    if (this.#closeReason !== undefined) return;
    this.#closeReason = reason;
    this.#outbox.close();
    this.far?.farEnded();
    if (this.#callbacks !== undefined) reportClosed(this.#callbacks, reason);
  }
}
