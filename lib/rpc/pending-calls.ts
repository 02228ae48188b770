/**
 * Tracks requests we sent that have not been answered yet, and checks their results.
 *
 * Each entry is settled exactly once: by the response, by a failed send, by the caller
 * giving up, or by the connection closing. The peer still owes a response to a call
 * that was given up. Has no stream and no clock.
 */
import { Fault, type Schema } from "../schema/index.ts";
import { CallFailed, ConnectionClosed, errorCodes } from "./errors.ts";
import type { RpcResponse } from "./message.ts";

/** How many given-up calls are remembered as owed a response; the oldest are dropped first. */
const maxGivenUp = 1024;

interface Waiter {
  readonly resolve: (result: unknown) => void;
  readonly reject: (reason: unknown) => void;
}

export class PendingCalls {
  readonly #waiters = new Map<unknown, Waiter>();
  readonly #givenUp = new Set<unknown>();
  #lastId = 0;

  /** Whether the peer still owes us a response. */
  get isOwed(): boolean {
    return this.#waiters.size > 0 || this.#givenUp.size > 0;
  }

  /** The id of the latest call. Ids only grow. */
  get lastId(): number {
    return this.#lastId;
  }

  /** Opens an entry and passes its id to `send`. */
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

  /** Returns false when no response with this id is owed: it was repeated or made up. */
  settle({ id, result, error }: RpcResponse): boolean {
    const waiter = this.#waiters.get(id);
    if (waiter === undefined) return this.#givenUp.delete(id);
    this.#waiters.delete(id);
    // Some peers write `"error": null` next to the result, as JSON-RPC 1.0 did.
    if (error === undefined || (error === null && result !== undefined)) waiter.resolve(result);
    else waiter.reject(CallFailed.from(error));
    return true;
  }

  /** Rejects a call because its caller no longer waits. Returns false when it is already settled. */
  giveUp(id: number, reason: unknown): boolean {
    const waiter = this.#waiters.get(id);
    if (waiter === undefined) return false;
    this.#waiters.delete(id);
    this.#givenUp.add(id);
    if (this.#givenUp.size > maxGivenUp) this.#givenUp.delete(this.#givenUp.values().next().value);
    waiter.reject(reason);
    return true;
  }

  /** Whether a call opened after the call `id` still waits. */
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

/** Checks the result of one of our calls; a wrong result fails the call. */
export function readResult<T>(method: string, schema: Schema<T>, result: unknown): T {
  const read = schema.read(result);
  if (!(read instanceof Fault)) return read;
  throw new CallFailed(errorCodes.internalError, `${method}: the peer's answer is wrong: ${read.describe("result")}`);
}
