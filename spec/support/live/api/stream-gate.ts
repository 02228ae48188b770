/**
 * A gate at which a scripted stream waits for the test.
 *
 * The test waits for `reached`, checks the state while the model is in the middle of a
 * word, and opens the gate. An open gate stays open.
 */
import { Log, type WaitOptions } from "../client/event-log.ts";

export class StreamGate {
  readonly #arrivals: Log<number>;
  readonly #waiting = new Set<() => void>();
  #isOpen = false;

  constructor(name: string) {
    this.#arrivals = new Log(`gate ${name}`);
  }

  /** When the n-th stream has arrived here. */
  async reached(nth = 1, options: WaitOptions = {}): Promise<void> {
    await this.#arrivals.waitFor((arrival) => arrival >= nth, { what: `arrival ${nth}`, ...options });
  }

  release(): void {
    this.#isOpen = true;
    for (const go of this.#waiting) go();
  }

  /** Closes the gate again for later streams. */
  shut(): void {
    this.#isOpen = false;
  }

  /** For the API: waits until the gate is open or the other side has gone. */
  async pass(gone: AbortSignal): Promise<void> {
    this.#arrivals.push(this.#arrivals.length + 1);
    if (this.#isOpen || gone.aborted) return;
    await new Promise<void>((resolve) => {
      const go = (): void => {
        this.#waiting.delete(go);
        gone.removeEventListener("abort", go);
        resolve();
      };
      this.#waiting.add(go);
      gone.addEventListener("abort", go);
    });
  }
}
