/**
 * Limits the memory that is held by responses to clients that do not read.
 *
 * A response that waits for its client holds the buffer it is sending. Buffers that
 * several responses share count once. Past `maxHeldBytes`, the responses that have
 * waited longest without progress are dropped, until the total is below the cap or one
 * buffer is left: a single large buffer must still reach its reader.
 */

/** For all responses of a server together. */
const defaultMaxHeldBytes = 128 * 1024 * 1024;
/** Smaller buffers are not counted: the cap on connections bounds them. */
const minCountedBytes = 64 * 1024;

interface Holder {
  readonly buffer: Buffer;
  readonly drop: () => void;
}

export class HeldBytes {
  readonly #maxBytes: number;
  /** The longest waiting holder comes first. */
  readonly #holders = new Set<Holder>();
  readonly #holderCounts = new Map<Buffer, number>();
  #bytes = 0;

  constructor(maxBytes = defaultMaxHeldBytes) {
    this.#maxBytes = maxBytes;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Counts the buffer until the returned function is called. Calls `drop`, at most once, when the cap is exceeded. */
  hold(buffer: Buffer, drop: () => void): () => void {
    if (buffer.length < minCountedBytes) return () => {};
    const holder = { buffer, drop };
    const count = this.#holderCounts.get(buffer) ?? 0;
    if (count === 0) this.#bytes += buffer.length;
    this.#holderCounts.set(buffer, count + 1);
    this.#holders.add(holder);
    this.#trim();
    return () => this.#release(holder);
  }

  #trim(): void {
    for (const holder of this.#holders) {
      if (this.#bytes <= this.#maxBytes || this.#holderCounts.size <= 1) return;
      this.#release(holder);
      holder.drop();
    }
  }

  #release(holder: Holder): void {
    if (!this.#holders.delete(holder)) return;
    const { buffer } = holder;
    const count = (this.#holderCounts.get(buffer) ?? 1) - 1;
    if (count > 0) return void this.#holderCounts.set(buffer, count);
    this.#holderCounts.delete(buffer);
    this.#bytes -= buffer.length;
  }
}
