/**
 * A request of the peer while its handler runs, with the signal that aborts it.
 *
 * The AbortController is made when a handler first reads `signal`; most never do.
 */
import { errorCodes, RpcError } from "./errors.ts";
import type { Id } from "./message.ts";

export class Call {
  readonly id: Id;
  readonly method: string;
  #controller: AbortController | undefined;
  #abortReason: RpcError | undefined;

  constructor(id: Id, method: string) {
    this.id = id;
    this.method = method;
  }

  /** Aborts when the peer cancels this request or the connection closes. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#abortReason !== undefined) this.#controller.abort(this.#abortReason);
    }
    return this.#controller.signal;
  }

  get isAborted(): boolean {
    return this.#abortReason !== undefined;
  }

  abort(why: string): void {
    if (this.#abortReason !== undefined) return;
    this.#abortReason = new RpcError(errorCodes.requestCancelled, why);
    this.#controller?.abort(this.#abortReason);
  }
}
