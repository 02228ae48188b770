/**
 * Queues outgoing lines and joins them into few writes, in order.
 *
 * Lines wait here while the sink is full. When too many wait, `send` returns false and
 * `onDrain` follows. A caller that ignores this and queues more than `maxQueuedChars`
 * causes `onOverflow`, once. Holds no stream: the owner of the stream passes `write`
 * and calls `writable`.
 */

/** When more text than this waits, `send` reports that the other side lags. */
export const defaultLagChars = 256 * 1024;
/** When more text than this waits, the connection is closed. */
export const defaultMaxQueuedChars = 64 * 1024 * 1024;

/** The most text in one write; longer writes only delay the first byte. */
const maxWriteChars = 256 * 1024;
/**
 * Lines of one tick are written early once they reach this size, then twice this size,
 * and so on, so that the other side handles the first lines while the rest is made.
 * 64 requests at once then take 0.7 of the time of a single write, and many small lines
 * still leave in few writes (`npm run bench -- "round trip"`).
 */
const firstWriteChars = 1024;

export interface OutboxLimits {
  readonly lagChars?: number | undefined;
  readonly maxQueuedChars?: number | undefined;
}

export interface OutboxCallbacks {
  /** Writes text to the sink. False: the sink is full, and the owner will call `writable`. */
  readonly write: (text: string) => boolean;
  /** Runs the flush once the lines of this tick are queued. */
  readonly defer: (flush: () => void) => void;
  /** The other side has caught up after `send` returned false. */
  readonly onDrain: () => void;
  readonly onOverflow: (maxQueuedChars: number) => void;
}

export class Outbox {
  readonly #callbacks: OutboxCallbacks;
  readonly #lagChars: number;
  readonly #maxQueuedChars: number;
  readonly #flushTick = (): void => {
    this.#isDeferred = false;
    this.#earlyChars = firstWriteChars;
    this.flush();
  };
  #lines: string[] = [];
  #queuedChars = 0;
  #isFull = false;
  #isLagging = false;
  #isDeferred = false;
  #earlyChars = firstWriteChars;
  #isClosed = false;

  constructor(callbacks: OutboxCallbacks, limits: OutboxLimits = {}) {
    this.#callbacks = callbacks;
    this.#lagChars = limits.lagChars ?? defaultLagChars;
    this.#maxQueuedChars = limits.maxQueuedChars ?? defaultMaxQueuedChars;
  }

  get isEmpty(): boolean {
    return this.#lines.length === 0;
  }

  get queuedChars(): number {
    return this.#queuedChars;
  }

  /** Queues one line, given without its newline. Returns false when the other side lags. */
  send(line: string): boolean {
    if (this.#isClosed) return false;
    this.#lines.push(line);
    this.#queuedChars += line.length + 1;
    if (!this.#isDeferred && !this.#isFull) {
      this.#isDeferred = true;
      this.#callbacks.defer(this.#flushTick);
    }
    if (this.#queuedChars > this.#lagChars) {
      this.#isLagging = true;
      if (this.#queuedChars > this.#maxQueuedChars) {
        this.close();
        this.#callbacks.onOverflow(this.#maxQueuedChars);
      }
    } else if (this.#queuedChars >= this.#earlyChars && !this.#isLagging) {
      this.#earlyChars *= 2;
      this.flush();
    }
    return !this.#isLagging;
  }

  /** Writes the queued lines until the sink is full. */
  flush(): void {
    while (!this.#isFull && this.#lines.length > 0) {
      const text = this.#takeText();
      this.#isFull = !this.#callbacks.write(text);
    }
    if (this.#isLagging && this.#lines.length === 0 && !this.#isFull && !this.#isClosed) {
      this.#isLagging = false;
      this.#callbacks.onDrain();
    }
  }

  /** To be called when the sink accepts text again. */
  writable(): void {
    this.#isFull = false;
    this.flush();
  }

  /** Drops the queued lines. Nothing is written after this. */
  close(): void {
    this.#isClosed = true;
    this.#lines = [];
    this.#queuedChars = 0;
  }

  #takeText(): string {
    const lines = this.#lines;
    if (this.#queuedChars <= maxWriteChars) {
      this.#lines = [];
      this.#queuedChars = 0;
      return joined(lines);
    }
    let count = 0;
    let chars = 0;
    while (count < lines.length && (count === 0 || chars < maxWriteChars)) chars += (lines[count++] ?? "").length + 1;
    const taken = lines.slice(0, count);
    this.#lines = lines.slice(count);
    this.#queuedChars -= chars;
    return joined(taken);
  }
}

/** Joins the lines into text. Changes the array. */
function joined(lines: string[]): string {
  if (lines.length === 1) return `${lines[0]}\n`;
  // An empty last line adds the final newline without a second copy of the text.
  lines.push("");
  return lines.join("\n");
}
