/**
 * Prewarmed sessions: starts a session in the background so that the next
 * `session/new` is answered at once. Starting a CLI takes about 500 ms.
 *
 * Keeps one session per request key, for at most `maxPrewarmed` keys and
 * `prewarmLimitMs`. A session is given out only if its CLI runs and the configuration
 * files it has read are unchanged (`Engine.configFingerprint`).
 */
import type { Schedule } from "../../wire/index.ts";
import type { Session } from "../session/session.ts";

/** Each prewarmed session costs one idle CLI. */
export const maxPrewarmed = 2;
/** How long a prewarmed session is kept. */
export const prewarmLimitMs = 10 * 60_000;
/** Delay before prewarming, so that it does not slow down the first prompt of the session just opened. */
const startDelayMs = 1500;

export interface PrewarmedSessionsOptions {
  readonly after: Schedule;
  /** Creates a session that the client does not know yet. */
  readonly open: (key: string) => Session;
  /** See `Engine.mayPrewarm`. */
  readonly mayStart: () => boolean;
  /** See `Engine.configFingerprint`. */
  readonly fingerprintOf: (key: string) => string;
  readonly onBug: (doing: string, cause: unknown) => void;
}

interface PrewarmedSession {
  readonly session: Session;
  readonly fingerprint: string;
  readonly cancelExpiry: () => void;
}

export class PrewarmedSessions {
  readonly #options: PrewarmedSessionsOptions;
  /** Oldest first. */
  readonly #ready = new Map<string, PrewarmedSession>();
  /** Keys whose session starts after `startDelayMs`, with the function that cancels the timer. */
  readonly #scheduled = new Map<string, () => void>();
  #isClosed = false;

  constructor(options: PrewarmedSessionsOptions) {
    this.#options = options;
  }

  /** Removes and returns the session for a key; undefined when there is none that is up to date. */
  take(key: string): Session | undefined {
    const ready = this.#ready.get(key);
    if (ready === undefined) return undefined;
    if (!ready.session.isRunning || ready.fingerprint !== this.#fingerprintOf(key)) {
      this.#drop(key, "it is not as one would begin now");
      return undefined;
    }
    this.#ready.delete(key);
    ready.cancelExpiry();
    return ready.session;
  }

  /** Schedules the start of a session for a key, unless there is one. */
  prepare(key: string): void {
    if (this.#isClosed || this.#scheduled.has(key)) return;
    const cancelTimer = this.#options.after(startDelayMs, () => {
      this.#scheduled.delete(key);
      if (!this.#ready.has(key) && this.#options.mayStart()) this.#start(key);
    });
    this.#scheduled.set(key, cancelTimer);
  }

  /** Closes every prewarmed session and starts no more. */
  async close(reason: string): Promise<void> {
    this.#isClosed = true;
    await this.clear(reason);
  }

  /** Closes every prewarmed session. */
  async clear(reason: string): Promise<void> {
    for (const cancelTimer of this.#scheduled.values()) cancelTimer();
    this.#scheduled.clear();
    const sessions = [...this.#ready.values()];
    this.#ready.clear();
    await Promise.all(sessions.map((ready) => this.#end(ready, reason)));
  }

  #start(key: string): void {
    const fingerprint = this.#fingerprintOf(key);
    const session = fingerprint === undefined ? undefined : this.#open(key);
    if (fingerprint === undefined || session === undefined) return;
    const cancelExpiry = this.#options.after(prewarmLimitMs, () => this.#drop(key, "nobody asked for it"));
    this.#ready.set(key, { session, fingerprint, cancelExpiry });
    const [oldest] = this.#ready.keys();
    if (this.#ready.size > maxPrewarmed && oldest !== undefined) this.#drop(oldest, "others are used more");
    session.start().catch(() => this.#drop(key, "it could not be started"));
  }

  /** Undefined when it cannot be computed, for example because the directory is not readable any more. */
  #fingerprintOf(key: string): string | undefined {
    try {
      return this.#options.fingerprintOf(key);
    } catch {
      return undefined;
    }
  }

  #open(key: string): Session | undefined {
    try {
      return this.#options.open(key);
    } catch (cause) {
      this.#options.onBug("prewarm a session", cause);
      return undefined;
    }
  }

  #drop(key: string, reason: string): void {
    const ready = this.#ready.get(key);
    if (ready === undefined) return;
    this.#ready.delete(key);
    void this.#end(ready, reason);
  }

  async #end({ session, cancelExpiry }: PrewarmedSession, reason: string): Promise<void> {
    cancelExpiry();
    await session.close(reason);
  }
}
