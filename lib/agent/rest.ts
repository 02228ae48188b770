/**
 * Rest: when a session nobody prompts may give its CLI back.
 *
 * Asks again later for as long as something runs in the background.
 */
import type { After } from "../claude/index.ts";

export class Rest {
  readonly #after: After;
  readonly #limitMs: number;
  readonly #tryRest: () => boolean;
  #callOff: (() => void) | undefined;

  /** `tryRest` is false while the session must not rest. A limit of 0 is for ever. */
  constructor(after: After, limitMs: number, tryRest: () => boolean) {
    this.#after = after;
    this.#limitMs = limitMs;
    this.#tryRest = tryRest;
  }

  /** Nothing is asked of the session now. */
  begin(): void {
    this.end();
    if (this.#limitMs === 0) return;
    this.#callOff = this.#after(this.#limitMs, () => {
      this.#callOff = undefined;
      if (!this.#tryRest()) this.begin();
    });
  }

  /** Something is. */
  end(): void {
    this.#callOff?.();
    this.#callOff = undefined;
  }
}
