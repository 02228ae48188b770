/**
 * Outbox: lines on their way out, in order, joined into few writes.
 *
 * Lines of one tick leave in few writes. While the sink is full they wait here;
 * `send` then answers false and `onDrain` tells when to go on. Past
 * `maxQueuedChars` somebody ignored that answer and `onOverflow` is called once.
 * Holds no stream: whoever owns one brings `write` and reports `writable`.
 */

/** From this much waiting text on, `send` answers that the other side lags. */
export const defaultLagChars = 256 * 1024;
/** The most text that may wait; beyond it the connection is given up. */
export const defaultMaxQueuedChars = 64 * 1024 * 1024;

/** Text joined into one write; more only makes the first byte wait longer. */
const maxWriteChars = 256 * 1024;
/**
 * What comes together within a tick leaves early when it is this much, then when it
 * is twice as much, and so on: the other side works on the first lines while the
 * rest is made. 64 requests at once take 0.7 of the time they take in one write, and
 * many small ones still few writes (`npm run bench -- "round trip"`).
 */
const firstWriteChars = 1024;

export interface OutboxLimits {
  readonly lagChars?: number | undefined;
  readonly maxQueuedChars?: number | undefined;
}

export interface OutboxCallbacks {
  /** Takes text; false when it wants `writable` to be awaited before the next. */
  readonly write: (text: string) => boolean;
  /** Runs the flush soon: once this tick's lines are in. */
  readonly defer: (flush: () => void) => void;
  /** The other side has caught up after `send` answered false. */
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

  /** Queues one line without its newline. False: the other side lags. */
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

  /** Writes what waits, as far as the sink takes it. */
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

  /** The sink takes text again. */
  writable(): void {
    this.#isFull = false;
    this.flush();
  }

  /** Forgets what waits; nothing is written from here on. */
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

/** The lines as text. The array is used up. */
function joined(lines: string[]): string {
  if (lines.length === 1) return `${lines[0]}\n`;
  // An empty line at the end gives the last one its newline without a second copy of the text.
  lines.push("");
  return lines.join("\n");
}
