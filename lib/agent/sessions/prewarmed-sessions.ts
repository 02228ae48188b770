/**
 * Warm: sessions that are ready before anybody asks for them.
 *
 * Starting the CLI takes half a second; one that waits answers at once. One for
 * each of the directories used last, no more than a few, none for long.
 */
import type { Schedule } from "../../wire/index.ts";
import type { Session } from "../session/session.ts";

/** Directories a session is kept ready for; each costs an idle CLI. */
export const maxPrewarmed = 2;
/** How long one is kept. */
export const prewarmLimitMs = 10 * 60_000;
/** The prompt that follows a new session comes first. */
const startDelayMs = 1500;

export interface PrewarmedSessionsOptions {
  readonly after: Schedule;
  /** Makes a session and starts it; it must not be known to the editor yet. */
  readonly open: (key: string) => Session;
  /** Changes when a session of this kind would begin differently. */
  readonly fingerprintOf: (key: string) => string;
}

interface PrewarmedSession {
  readonly session: Session;
  readonly fingerprint: string;
  readonly cancel: () => void;
}

export class PrewarmedSessions {
  readonly #options: PrewarmedSessionsOptions;
  /** In the order of their last use. */
  readonly #ready = new Map<string, PrewarmedSession>();
  readonly #planned = new Map<string, () => void>();
  #isClosed = false;

  constructor(options: PrewarmedSessionsOptions) {
    this.#options = options;
  }

  /** A session that was waiting for just this; it is the caller's now. */
  take(key: string): Session | undefined {
    const ready = this.#ready.get(key);
    if (ready === undefined) return undefined;
    if (!ready.session.isRunning || ready.fingerprint !== this.#options.fingerprintOf(key)) {
      this.#drop(key, "it is not as one would begin now");
      return undefined;
    }
    this.#ready.delete(key);
    ready.cancel();
    return ready.session;
  }

  /** Sees to it that the next session of this kind finds one ready. */
  prepare(key: string): void {
    if (this.#isClosed || this.#planned.has(key)) return;
    const cancelTimer = this.#options.after(startDelayMs, () => {
      this.#planned.delete(key);
      if (!this.#ready.has(key)) this.#start(key);
    });
    this.#planned.set(key, cancelTimer);
  }

  /** Ends those that wait, and starts no more. */
  async close(reason: string): Promise<void> {
    this.#isClosed = true;
    await this.clear(reason);
  }

  /** Ends those that wait: what they began with no longer holds. */
  async clear(reason: string): Promise<void> {
    for (const cancelTimer of this.#planned.values()) cancelTimer();
    this.#planned.clear();
    const waiting = [...this.#ready.values()];
    this.#ready.clear();
    await Promise.all(waiting.map((ready) => this.#end(ready, reason)));
  }

  #start(key: string): void {
    const fingerprint = this.#options.fingerprintOf(key);
    const session = this.#options.open(key);
    const cancel = this.#options.after(prewarmLimitMs, () => this.#drop(key, "nobody asked for it"));
    this.#ready.set(key, { session, fingerprint, cancel });
    const [oldest] = this.#ready.keys();
    if (this.#ready.size > maxPrewarmed && oldest !== undefined) this.#drop(oldest, "others are used more");
    session.start().catch(() => this.#drop(key, "it could not be started"));
  }

  #drop(key: string, reason: string): void {
    const ready = this.#ready.get(key);
    if (ready === undefined) return;
    this.#ready.delete(key);
    void this.#end(ready, reason);
  }

  async #end({ session, cancel }: PrewarmedSession, reason: string): Promise<void> {
    cancel();
    await session.close(reason);
  }
}
