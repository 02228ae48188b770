/**
 * Warm: sessions that are ready before anybody asks for them.
 *
 * Starting the CLI takes half a second; one that waits answers at once. One for
 * each of the directories used last, no more than a few, none for long.
 */
import type { After } from "../claude/index.ts";
import type { Session } from "./session.ts";

/** Directories a session is kept ready for; each costs an idle CLI. */
export const maxWarm = 2;
/** How long one is kept. */
export const warmLimitMs = 10 * 60_000;
/** The prompt that follows a new session comes first. */
const startDelayMs = 1500;

export interface WarmEnds {
  readonly after: After;
  /** Makes a session and starts it; it must not be known to the editor yet. */
  readonly open: (key: string) => Session;
  /** Changes when a session of this kind would begin differently. */
  readonly stampOf: (key: string) => string;
}

interface Ready {
  readonly session: Session;
  readonly stamp: string;
  readonly callOff: () => void;
}

export class Warm {
  readonly #ends: WarmEnds;
  /** In the order of their last use. */
  readonly #ready = new Map<string, Ready>();
  readonly #planned = new Map<string, () => void>();
  #isClosed = false;

  constructor(ends: WarmEnds) {
    this.#ends = ends;
  }

  /** A session that was waiting for just this; it is the caller's now. */
  take(key: string): Session | undefined {
    const ready = this.#ready.get(key);
    if (ready === undefined) return undefined;
    if (!ready.session.isRunning || ready.stamp !== this.#ends.stampOf(key)) {
      this.#drop(key, "it is not as one would begin now");
      return undefined;
    }
    this.#ready.delete(key);
    ready.callOff();
    return ready.session;
  }

  /** Sees to it that the next session of this kind finds one ready. */
  prepare(key: string): void {
    if (this.#isClosed || this.#planned.has(key)) return;
    const callOff = this.#ends.after(startDelayMs, () => {
      this.#planned.delete(key);
      if (!this.#ready.has(key)) this.#start(key);
    });
    this.#planned.set(key, callOff);
  }

  /** Ends those that wait, and starts no more. */
  async close(reason: string): Promise<void> {
    this.#isClosed = true;
    await this.clear(reason);
  }

  /** Ends those that wait: what they began with no longer holds. */
  async clear(reason: string): Promise<void> {
    for (const callOff of this.#planned.values()) callOff();
    this.#planned.clear();
    const waiting = [...this.#ready.values()];
    this.#ready.clear();
    await Promise.all(waiting.map((ready) => this.#end(ready, reason)));
  }

  #start(key: string): void {
    const stamp = this.#ends.stampOf(key);
    const session = this.#ends.open(key);
    const callOff = this.#ends.after(warmLimitMs, () => this.#drop(key, "nobody asked for it"));
    this.#ready.set(key, { session, stamp, callOff });
    const [oldest] = this.#ready.keys();
    if (this.#ready.size > maxWarm && oldest !== undefined) this.#drop(oldest, "others are used more");
    session.start().catch(() => this.#drop(key, "it could not be started"));
  }

  #drop(key: string, reason: string): void {
    const ready = this.#ready.get(key);
    if (ready === undefined) return;
    this.#ready.delete(key);
    void this.#end(ready, reason);
  }

  async #end({ session, callOff }: Ready, reason: string): Promise<void> {
    callOff();
    await session.close(reason);
  }
}
