/**
 * Detects an app-server that hangs while something waits for it.
 *
 * A healthy app-server answers a cheap request within milliseconds, also in the middle of a
 * turn. After `hangProbeMs` without a line such a request is sent as a probe. If nothing
 * arrives after two probes, the app-server hangs: two, because the machine may have slept
 * during the first. Nothing is expected while reading is paused.
 */
import type { Schedule } from "../../wire/index.ts";

/** How long the app-server may be silent before each probe and after the last. */
export const hangProbeMs = 10_000;
const maxProbes = 2;

export interface HangDetectorOptions {
  readonly after: Schedule;
  readonly isPaused: () => boolean;
  readonly sendProbe: () => void;
  /** Called at most once. */
  readonly onHung: () => void;
}

export class HangDetector {
  readonly #options: HangDetectorOptions;
  #waitingCount = 0;
  #hasReceived = false;
  #probeCount = 0;
  #cancelTimer: (() => void) | undefined;

  constructor(options: HangDetectorOptions) {
    this.#options = options;
  }

  /** Something waits for the app-server until the returned function is called. */
  watch(): () => void {
    let isWaiting = true;
    this.#waitingCount++;
    if (this.#cancelTimer === undefined) this.#startTimer();
    return () => {
      if (!isWaiting) return;
      isWaiting = false;
      this.#waitingCount--;
      if (this.#waitingCount === 0) this.stop();
    };
  }

  /** A line has arrived. */
  onLine(): void {
    this.#hasReceived = true;
  }

  stop(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    this.#probeCount = 0;
  }

  #startTimer(): void {
    this.#hasReceived = false;
    this.#cancelTimer = this.#options.after(hangProbeMs, () => this.#onTimer());
  }

  #onTimer(): void {
    this.#cancelTimer = undefined;
    if (this.#hasReceived || this.#options.isPaused()) {
      this.#probeCount = 0;
    } else if (this.#probeCount < maxProbes) {
      this.#probeCount++;
      this.#options.sendProbe();
    } else {
      return this.#options.onHung();
    }
    this.#startTimer();
  }
}
