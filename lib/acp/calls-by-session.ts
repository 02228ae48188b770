/**
 * Session calls: the peer's requests that run now, by session, so that a
 * cancelled session can abort its own.
 */
import type { Call } from "../rpc/index.ts";

export class CallsBySession {
  readonly #running = new Map<string, Set<Call>>();

  /** Runs `work` as part of a session, until it settles. */
  async run<T>(sessionId: string, call: Call, work: () => T | Promise<T>): Promise<T> {
    const calls = this.#running.get(sessionId) ?? new Set();
    this.#running.set(sessionId, calls.add(call));
    try {
      return await work();
    } finally {
      calls.delete(call);
      if (calls.size === 0) this.#running.delete(sessionId);
    }
  }

  cancel(sessionId: string): void {
    for (const call of this.#running.get(sessionId) ?? []) call.abort("the turn was cancelled");
  }
}
