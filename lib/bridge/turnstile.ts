/**
 * Turnstile: at most so many at once; the others wait in order.
 *
 * A starting CLI takes a second of a core, so a hundred started together would
 * all be late.
 */

export class Turnstile {
  readonly #places: number;
  readonly #waiting: (() => void)[] = [];
  #inside = 0;

  constructor(places: number) {
    this.#places = places;
  }

  /** Resolves with the way out, which must be taken once. */
  async enter(): Promise<() => void> {
    if (this.#inside < this.#places) this.#inside++;
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
