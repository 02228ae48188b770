/**
 * Counting semaphore with a first-in, first-out queue.
 *
 * The bridge uses it to limit how many CLIs start at once: each start takes about a
 * second of one core, so a hundred concurrent starts would all time out.
 */

export class Semaphore {
  readonly #permits: number;
  readonly #waiting: (() => void)[] = [];
  #held = 0;

  constructor(permits: number) {
    this.#permits = permits;
  }

  /** Resolves with the function that releases the permit. Only its first call has an effect. */
  async acquire(): Promise<() => void> {
    if (this.#held < this.#permits) this.#held++;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      const next = this.#waiting.shift();
      // A waiting caller takes the permit over, so the number of held permits stays.
      if (next === undefined) this.#held--;
      else next();
    };
  }
}
