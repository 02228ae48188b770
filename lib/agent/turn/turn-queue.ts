/**
 * Runs the turns of a session one at a time, in order.
 *
 * At most `maxQueuedTurns` turns wait behind the running one; a further prompt is
 * refused.
 */
import { errorCodes, RpcError } from "../../rpc/index.ts";
import type { Turn } from "./turn.ts";

export const maxQueuedTurns = 8;

export class TurnQueue {
  readonly #waiting: Turn[] = [];
  #current: Turn | undefined;

  get current(): Turn | undefined {
    return this.#current;
  }

  push(turn: Turn): void {
    if (this.#waiting.length >= maxQueuedTurns) {
      const text = `too many prompts wait in this session, the limit is ${maxQueuedTurns}`;
      throw new RpcError(errorCodes.internalError, text);
    }
    this.#waiting.push(turn);
    this.#pump();
  }

  /** Cancels the turns that have not started. */
  cancelWaiting(): void {
    for (const turn of this.#waiting.splice(0)) turn.take({ kind: "cancel" });
  }

  #pump(): void {
    if (this.#current !== undefined) return;
    const turn = this.#waiting.shift();
    if (turn === undefined) return;
    this.#current = turn;
    turn.take({ kind: "start" });
    void turn.ended.then(() => {
      this.#current = undefined;
      this.#pump();
    });
  }
}
