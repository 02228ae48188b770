/**
 * Delivers notifications to their handlers, in order within each sequence.
 *
 * A sequence is the notifications of one session, in ACP. The next notification of a
 * sequence waits until the promise of the previous handler settles. Different sequences do
 * not wait for each other. A handler that returns no promise is finished when it returns.
 * The queue has no limit of its own: it counts unfinished notifications, and
 * `FlowControl.update` stops reading when there are too many.
 */
import type { MethodRoute } from "./router.ts";

interface WaitingNotification {
  readonly route: MethodRoute;
  readonly params: unknown;
}

/** A sequence whose handler has not finished. */
interface Busy {
  waiting: WaitingNotification[];
  /** The value of `lastCallId()` when the running handler began. */
  callIdAtStart: number;
  /** Resolves when nothing is left in the sequence. */
  done: Promise<void>;
}

export interface NotificationQueueCallbacks {
  /** Runs a handler; a promise means it is not finished yet. Never throws or rejects. */
  readonly run: (route: MethodRoute, params: unknown) => Promise<void> | undefined;
  /** The id of the last call that we sent. Read when a handler starts: it orders handlers and calls in time. */
  readonly lastCallId: () => number;
  /** Called when the handler of a waiting notification has started, or a sequence is done. */
  readonly onProgress: () => void;
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

  /** The id of our last call when the handler that has been running longest began; undefined when none runs. */
  get oldestCallIdAtStart(): number | undefined {
    let oldest: number | undefined;
    for (const { callIdAtStart } of this.#busy.values())
      if (oldest === undefined || callIdAtStart < oldest) oldest = callIdAtStart;
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
    const callIdAtStart = this.#callbacks.lastCallId();
    const running = this.#callbacks.run(route, params);
    if (running !== undefined) this.#wait(sequence, { waiting: [], callIdAtStart, done: handled }, running);
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
          busy.callIdAtStart = this.#callbacks.lastCallId();
          const isDone = this.#callbacks.run(route, params);
          this.#callbacks.onProgress();
          await isDone;
        }
      }
      this.#busy.delete(sequence);
      this.#callbacks.onProgress();
    };
    // `run` never rejects, so this promise never rejects either.
    busy.done = next();
  }
}

const handled = Promise.resolve();
