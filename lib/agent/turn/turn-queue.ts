/**
 * Turn queue: a session's turns, one at a time and in order.
 */
import { errorCodes, RpcError } from "../../rpc/index.ts";
import type { Turn } from "./turn.ts";

/** Turns that may wait behind a running one. */
export const maxQueuedTurns = 8;

export class TurnQueue {
  readonly #run: (turn: Turn) => Promise<void>;
  readonly #waiting: Turn[] = [];
  #current: Turn | undefined;

  /** `run` takes a turn to its end and never rejects; the turn carries the failure. */
  constructor(run: (turn: Turn) => Promise<void>) {
    this.#run = run;
  }

  /** The turn that runs now. */
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

  /** Ends those that wait, without having run. */
  cancelWaiting(): void {
    for (const turn of this.#waiting.splice(0)) turn.cancel();
  }

  #pump(): void {
    if (this.#current !== undefined) return;
    const turn = this.#waiting.shift();
    if (turn === undefined) return;
    this.#current = turn;
    void this.#run(turn).then(() => {
      this.#current = undefined;
      this.#pump();
    });
  }
}
