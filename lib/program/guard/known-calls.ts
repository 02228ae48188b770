/**
 * Keeps the fields that an agent has sent for its tool calls: a permission request may leave out
 * what an earlier update contained.
 *
 * A call is found by its session and its id. Agents may use an id again: once a call or its turn
 * has ended, a permission request with that id is a new call, and no
 * field of the old call counts for it.
 */
import type { Fields } from "../../schema/index.ts";

export interface KnownCall {
  /** All fields that were received; later values replace earlier ones. */
  fields: Fields;
  /** It was allowed, or its turn was cancelled because of it already. */
  isSettled: boolean;
  /** It was asked about and denied. */
  isDenied: boolean;
  hasEnded: boolean;
}

/** The oldest is forgotten first. */
const maxCalls = 10_000;

export class KnownCalls {
  readonly #calls = new Map<string, KnownCall & { readonly sessionId: string }>();

  /** Takes over the fields of an update or a request. `isNew`: a call begins with it. */
  take(sessionId: string, id: string, told: Fields, isNew: boolean): KnownCall {
    const key = JSON.stringify([sessionId, id]);
    const known = this.#calls.get(key);
    const unknown = { sessionId, fields: {}, isSettled: false, isDenied: false, hasEnded: false };
    const call = known === undefined || isNew ? unknown : known;
    const given = Object.entries(told).filter(([, value]) => value !== undefined && value !== null);
    call.fields = { ...call.fields, ...Object.fromEntries(given) };
    call.hasEnded ||= told["status"] === "completed" || told["status"] === "failed";
    this.#calls.set(key, call);
    const [oldest] = this.#calls.keys();
    if (this.#calls.size > maxCalls && oldest !== undefined) this.#calls.delete(oldest);
    return call;
  }

  hasEnded(sessionId: string, id: string): boolean {
    return this.#calls.get(JSON.stringify([sessionId, id]))?.hasEnded === true;
  }

  /** The turn of the session is over, and with it every call. */
  endTurn(sessionId: string): void {
    for (const call of this.#calls.values()) if (call.sessionId === sessionId) call.hasEnded = true;
  }
}
