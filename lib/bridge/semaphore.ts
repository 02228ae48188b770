/**
 * Turnstile: at most so many at once; the others wait in order.
 *
 * A starting CLI takes a second of a core, so a hundred started together would
 * all be late.
 */

export class Semaphore {
  readonly #permits: number;
  readonly #waiting: (() => void)[] = [];
  #inside = 0;

  constructor(places: number) {
    this.#permits = places;
  }

  /** Resolves with the way out, which must be taken once. */
  async acquire(): Promise<() => void> {
    if (this.#inside < this.#permits) this.#inside++;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    let isOut = false;
    return () => {
      if (isOut) return;
      isOut = true;
      const next = this.#waiting.shift();
      // The place goes from hand to hand.
      if (next === undefined) this.#inside--;
      else next();
    };
  }
}
