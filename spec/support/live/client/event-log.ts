/**
 * A log of events in order, and a way to wait for one.
 *
 * `waitFor` looks at past events first, so a test cannot miss an event by asking late. A
 * wait that times out fails with the events so far.
 */
import { inspect } from "node:util";

/** Long enough for a loaded machine; a healthy step takes far less than a second. */
const patienceMs = 20_000;

export interface WaitOptions {
  /** Only things from this position on count. */
  readonly from?: number;
  readonly limitMs?: number;
  /** What is waited for, in words, for the failure message. */
  readonly what?: string;
}

interface Waiter<T> {
  readonly from: number;
  look(item: T, index: number): boolean;
  fail(reason: Error): void;
}

export class Log<T> {
  readonly items: T[] = [];
  readonly #name: string;
  readonly #show: (item: T) => string;
  readonly #waiters = new Set<Waiter<T>>();
  readonly #followers: ((item: T) => void)[] = [];
  #closed: string | undefined;

  constructor(name: string, show: (item: T) => string = (item) => inspect(item, { depth: 4, breakLength: Infinity })) {
    this.#name = name;
    this.#show = show;
  }

  get length(): number {
    return this.items.length;
  }

  push(item: T): void {
    const index = this.items.push(item) - 1;
    for (const onItem of this.#followers) onItem(item);
    for (const waiter of this.#waiters) waiter.look(item, index);
  }

  /** Calls back for each future event, before waits for it resolve. */
  follow(onItem: (item: T) => void): void {
    this.#followers.push(onItem);
  }

  /** No more events will come: every open wait fails at once, and so does every later wait. */
  close(why: string): void {
    this.#closed ??= why;
    for (const waiter of this.#waiters) waiter.fail(this.#missing(waiter, why));
  }

  waitFor<S extends T>(is: (item: T) => item is S, options?: WaitOptions): Promise<S>;
  waitFor(is: (item: T) => boolean, options?: WaitOptions): Promise<T>;
  waitFor(is: (item: T) => boolean, { from = 0, limitMs = patienceMs, what }: WaitOptions = {}): Promise<T> {
    for (let index = from; index < this.items.length; index++) {
      const item = this.items[index] as T; // below length
      if (is(item)) return Promise.resolve(item);
    }
    return new Promise((resolve, reject) => {
      const settle = (): void => {
        clearTimeout(timer);
        this.#waiters.delete(waiter);
      };
      const waiter: Waiter<T> = {
        from,
        look: (item, index) => {
          if (index < from || !is(item)) return false;
          settle();
          resolve(item);
          return true;
        },
        fail: (reason) => {
          settle();
          reject(reason);
        },
      };
      const timer = setTimeout(() => waiter.fail(this.#missing(waiter, `not within ${limitMs} ms`, what)), limitMs);
      if (this.#closed !== undefined) waiter.fail(this.#missing(waiter, this.#closed, what));
      else this.#waiters.add(waiter);
    });
  }

  #missing(waiter: Waiter<T>, why: string, what = "what was waited for"): Error {
    const seen = this.items.slice(waiter.from).slice(-40);
    const lines = seen.map((item) => `  ${this.#show(item).slice(0, 400)}`);
    return new Error(`${this.#name}: ${what}: ${why}; the last ${seen.length} seen:\n${lines.join("\n")}`);
  }
}
