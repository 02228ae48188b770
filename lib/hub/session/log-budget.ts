/**
 * Limits the memory of all update logs of a hub together.
 *
 * Past the limit, entries are dropped from the log that was used longest ago, then from
 * the next one. What is dropped can be loaded again from the engine.
 */
import type { UpdateLog } from "./update-log.ts";

/** For all sessions of a hub together, in characters of encoded lines. */
const defaultMaxTotalChars = 256 * 1024 * 1024;

export class LogBudget {
  readonly #maxChars: number;
  /** The log that was used longest ago comes first. */
  readonly #logs = new Set<UpdateLog>();
  #chars = 0;

  constructor(maxChars: number = defaultMaxTotalChars) {
    this.#maxChars = maxChars;
  }

  get chars(): number {
    return this.#chars;
  }

  add(chars: number): void {
    this.#chars += chars;
  }

  /** The log has a new entry. */
  used(log: UpdateLog): void {
    this.#logs.delete(log);
    this.#logs.add(log);
    if (this.#chars > this.#maxChars) this.#trim();
  }

  remove(log: UpdateLog): void {
    this.#logs.delete(log);
  }

  #trim(): void {
    for (const log of this.#logs) {
      while (log.dropOldest()) if (this.#chars <= this.#maxChars) return;
    }
  }
}
