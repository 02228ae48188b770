/**
 * Delivers notifications to their handlers, in order within each sequence.
 *
 * A sequence is one session, in ACP: the next notification of a sequence waits until
 * the promise of the previous handler settles. Synchronous handlers cost no promise.
 * Counts unfinished notifications, so that its owner can stop reading.
 */
import type { MethodRoute } from "./router.ts";

interface WaitingNotification {
  readonly route: MethodRoute;
  readonly params: unknown;
}

/** A sequence whose handler has not finished. */
interface Busy {
  waiting: WaitingNotification[];
  /** The value of `mark()` when the running handler began. */
  since: number;
  /** Resolves when nothing is left in the sequence. */
  done: Promise<void>;
}

export interface NotificationQueueCallbacks {
  /** Runs a handler; a promise means it is not finished yet. Never throws or rejects. */
  readonly run: (route: MethodRoute, params: unknown) => Promise<void> | undefined;
  /** Called when a handler starts; a growing number that orders handlers against calls. */
  readonly mark: () => number;
  /** Called when a waiting notification has started, or a sequence is done. */
  readonly onRelief: () => void;
}

export class NotificationQueue {
  readonly #callbacks: NotificationQueueCallbacks;
  readonly #busy = new Map<string | symbol, Busy>();
  #waitingCount = 0;

  constructor(callbacks: NotificationQueueCallbacks) {
    this.#callbacks = callbacks;
  }

  /** How many notifications wait for their handler or have a running handler. */
  get unfinishedCount(): number {
    return this.#waitingCount + this.#busy.size;
  }

  /** The mark of the handler that has been running longest; undefined when none runs. */
  get oldestMark(): number | undefined {
    let oldest: number | undefined;
    for (const { since } of this.#busy.values()) if (oldest === undefined || since < oldest) oldest = since;
    return oldest;
  }

  /** Resolves when nothing is left in a sequence. */
  whenHandled(sequence: string): Promise<void> {
    return this.#busy.get(sequence)?.done ?? handled;
  }

  deliver(sequence: string | symbol, route: MethodRoute, params: unknown): void {
    const busy = this.#busy.get(sequence);
    if (busy !== undefined) {
      busy.waiting.push({ route, params });
      this.#waitingCount++;
      return;
    }
    const since = this.#callbacks.mark();
    const running = this.#callbacks.run(route, params);
    if (running !== undefined) this.#wait(sequence, { waiting: [], since, done: handled }, running);
  }

  #wait(sequence: string | symbol, busy: Busy, running: Promise<void>): void {
    this.#busy.set(sequence, busy);
    const next = async (): Promise<void> => {
      await running;
      while (busy.waiting.length > 0) {
        const batch = busy.waiting;
        busy.waiting = [];
        for (const { route, params } of batch) {
          this.#waitingCount--;
          busy.since = this.#callbacks.mark();
          const isDone = this.#callbacks.run(route, params);
          this.#callbacks.onRelief();
          await isDone;
        }
      }
      this.#busy.delete(sequence);
      this.#callbacks.onRelief();
    };
    // `run` never rejects, so this promise never rejects either.
    busy.done = next();
  }
}

const handled = Promise.resolve();
