/**
 * Keeps received values in order until a spec asks for them.
 *
 * Asking for more than has arrived waits for the rest, so no spec sleeps.
 */
export class Arrivals<T> {
  readonly #waiting: T[] = [];
  readonly #takers: { readonly count: number; readonly resolve: (values: T[]) => void }[] = [];

  add(value: T): void {
    this.#waiting.push(value);
    const taker = this.#takers[0];
    if (taker === undefined || this.#waiting.length < taker.count) return;
    this.#takers.shift();
    taker.resolve(this.#waiting.splice(0, taker.count));
  }

  /** The next `count` of them, now or when they have come. */
  take(count: number): Promise<T[]> {
    if (this.#takers.length === 0 && this.#waiting.length >= count) {
      return Promise.resolve(this.#waiting.splice(0, count));
    }
    return new Promise((resolve) => this.#takers.push({ count, resolve }));
  }

  async next(): Promise<T> {
    const [value] = await this.take(1);
    // `take(1)` resolves with exactly one.
    return value as T;
  }

  /** The values that no spec has asked for yet. */
  get rest(): readonly T[] {
    return this.#waiting;
  }
}
