/**
 * Pending: our requests that wait for the peer's answer.
 *
 * Every entry leaves exactly once: answered, unsent, given up by its caller, or
 * abandoned when the line closes. Holds no stream and no clock; the connection
 * brings both.
 */
import { ConnectionClosed, RpcError } from "./errors.ts";
import type { RpcResponse } from "./message.ts";

interface Waiter {
  readonly resolve: (result: unknown) => void;
  readonly reject: (reason: unknown) => void;
}

export class Pending {
  readonly #waiters = new Map<unknown, Waiter>();
  #lastId = 0;

  get size(): number {
    return this.#waiters.size;
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

  /** False when nobody waits for this answer: late, repeated, or never ours. */
  settle(response: RpcResponse): boolean {
    const waiter = this.#waiters.get(response.id);
    if (waiter === undefined) return false;
    this.#waiters.delete(response.id);
    if (response.error === undefined) waiter.resolve(response.result);
    else waiter.reject(RpcError.from(response.error));
    return true;
  }

  /** The caller waits no longer. False when the entry has already left. */
  giveUp(id: number, reason: unknown): boolean {
    const waiter = this.#waiters.get(id);
    if (waiter === undefined) return false;
    this.#waiters.delete(id);
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
  }
}
