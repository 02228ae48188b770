/**
 * Sends our control requests to the CLI and tracks those that wait for an answer.
 *
 * Every request ends exactly once: answered, refused, timed out, aborted by its caller, or
 * rejected when the CLI exits. Must not depend on a stream or a clock: `send` and `after`
 * are passed in.
 */
import { Fault } from "../../schema/index.ts";
import type { Schedule } from "../../wire/index.ts";
import type { ControlOutcome, ControlRequest } from "./frames.ts";
import { type ControlAnswer, type ControlFields, controlMethods, type ControlName } from "./control-methods.ts";
import { type ClaudeExit, ControlRefused, ControlTimeout } from "../errors.ts";

export interface OutgoingControlRequestsOptions {
  readonly send: (frame: ControlRequest) => void;
  readonly after: Schedule;
}

export interface ControlRequestOptions {
  /** Replaces the time limit of the method. `Infinity` means no limit. */
  readonly limitMs?: number | undefined;
  /** Aborts when the caller no longer wants the answer. */
  readonly signal?: AbortSignal | undefined;
}

interface OpenControlRequest {
  readonly subtype: string;
  readonly resolve: (answer: unknown) => void;
  readonly reject: (reason: unknown) => void;
  /** Cancels the time limit and stops listening to the caller's signal. */
  readonly release: () => void;
}

export class OutgoingControlRequests {
  readonly #options: OutgoingControlRequestsOptions;
  readonly #waiters = new Map<string, OpenControlRequest>();
  #lastId = 0;
  #exit: ClaudeExit | undefined;

  constructor(options: OutgoingControlRequestsOptions) {
    this.#options = options;
  }

  /** Sends a request and reads the answer. Rejects with `ControlRefused`, `ControlTimeout` or `ClaudeExit`. */
  async request<N extends ControlName>(
    subtype: N,
    fields: ControlFields<N>,
    options: ControlRequestOptions = {},
  ): Promise<ControlAnswer<N>> {
    const { answer, limitMs } = controlMethods[subtype];
    const given = await this.requestRaw(subtype, fields, { limitMs, ...options });
    const got: unknown = answer.read(given ?? {});
    if (got instanceof Fault)
      throw new ControlRefused(subtype, `${subtype}: ${got.describe("the answer")}`, "unreadable");
    // The method's own schema has just read it.
    return got as ControlAnswer<N>;
  }

  /** Like `request`, for a subtype that is not in the table. The answer is not validated. */
  requestRaw(subtype: string, fields: object, options: ControlRequestOptions = {}): Promise<unknown> {
    const { limitMs = defaultLimitMs, signal } = options;
    return new Promise((resolve, reject) => {
      if (this.#exit !== undefined) return reject(this.#exit);
      if (signal?.aborted === true) return reject(signal.reason);
      const request_id = `bowline-${++this.#lastId}`;
      const onAbort = (): void => this.#remove(request_id)?.reject(signal?.reason);
      const cancelLimit = Number.isFinite(limitMs)
        ? this.#options.after(limitMs, () => this.#remove(request_id)?.reject(new ControlTimeout(subtype, limitMs)))
        : undefined;
      signal?.addEventListener("abort", onAbort, { once: true });
      const release = (): void => {
        cancelLimit?.();
        signal?.removeEventListener("abort", onAbort);
      };
      this.#waiters.set(request_id, { subtype, resolve, reject, release });
      try {
        this.#options.send({ type: "control_request", request_id, request: { ...fields, subtype } });
      } catch (cause) {
        this.#remove(request_id)?.reject(cause);
      }
    });
  }

  /** Ends the request this response answers. Ignores a response no request waits for: late, repeated, or not ours. */
  settle(outcome: ControlOutcome): void {
    const waiter = this.#remove(outcome.request_id);
    if (waiter === undefined) return;
    if (outcome.subtype === "success") waiter.resolve(outcome.response);
    else waiter.reject(new ControlRefused(waiter.subtype, outcome.error ?? "refused", outcome.error_code));
  }

  /** The CLI has exited: rejects every waiting request and every later one. */
  abandon(exit: ClaudeExit): void {
    this.#exit ??= exit;
    for (const id of this.#waiters.keys()) this.#remove(id)?.reject(exit);
  }

  #remove(id: string): OpenControlRequest | undefined {
    const waiter = this.#waiters.get(id);
    if (waiter === undefined) return undefined;
    this.#waiters.delete(id);
    waiter.release();
    return waiter;
  }
}

const defaultLimitMs = 60_000;
