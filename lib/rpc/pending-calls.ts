/**
 * Pending: our requests that wait for the peer's answer.
 *
 * Every entry leaves exactly once: answered, unsent, given up by its caller, or
 * abandoned when the line closes. The answer to a call given up is still on its
 * way and counts as owed. Holds no stream and no clock; the connection brings both.
 */
import { CallFailed, ConnectionClosed } from "./errors.ts";
import type { RpcResponse } from "./message.ts";

/** Calls given up whose answers are remembered as owed; past this the oldest is forgotten. */
const maxGivenUp = 1024;

interface Waiter {
  readonly resolve: (result: unknown) => void;
  readonly reject: (reason: unknown) => void;
}

export class PendingCalls {
  readonly #waiters = new Map<unknown, Waiter>();
  readonly #givenUp = new Set<unknown>();
  #lastId = 0;

  /** Whether the peer still has an answer to send us. */
  get isOwed(): boolean {
    return this.#waiters.size > 0 || this.#givenUp.size > 0;
  }

  /** The id given out last; ids only grow. */
  get lastId(): number {
    return this.#lastId;
  }

  /** Opens an entry and hands `send` the id to put on the wire. */
  open(send: (id: number) => void): Promise<unknown> {
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      this.#waiters.set(id, { resolve, reject });
      try {
        send(id);
      } catch (cause) {
        this.#waiters.delete(id);
        reject(cause);
      }
    });
  }

  /** False when this answer is not owed: repeated, or never ours. */
  settle({ id, result, error }: RpcResponse): boolean {
    const waiter = this.#waiters.get(id);
    if (waiter === undefined) return this.#givenUp.delete(id);
    this.#waiters.delete(id);
    // Peers with JSON-RPC 1.0 habits write `"error": null` beside the result.
    if (error === undefined || (error === null && result !== undefined)) waiter.resolve(result);
    else waiter.reject(CallFailed.from(error));
    return true;
  }

  /** The caller waits no longer. False when the entry has already left. */
  giveUp(id: number, reason: unknown): boolean {
    const waiter = this.#waiters.get(id);
    if (waiter === undefined) return false;
    this.#waiters.delete(id);
    this.#givenUp.add(id);
    if (this.#givenUp.size > maxGivenUp) this.#givenUp.delete(this.#givenUp.values().next().value);
    waiter.reject(reason);
    return true;
  }

  /** Whether a call opened after `id` still waits. */
  hasSince(id: number): boolean {
    for (const open of this.#waiters.keys()) if (Number(open) > id) return true;
    return false;
  }

  abandon(reason: string): void {
    for (const waiter of this.#waiters.values()) waiter.reject(new ConnectionClosed(reason));
    this.#waiters.clear();
    this.#givenUp.clear();
  }
}
