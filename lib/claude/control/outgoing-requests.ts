/**
 * Control: our requests to the CLI that wait for its answer.
 *
 * Every request leaves exactly once: answered, refused, timed out, given up by its
 * caller, or abandoned when the CLI is gone. Holds no stream and no clock; the
 * engine brings both.
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

export interface RequestOptions {
  /** Instead of the method's own limit. `Infinity` waits for ever. */
  readonly limitMs?: number | undefined;
  /** The caller no longer waits. */
  readonly signal?: AbortSignal | undefined;
}

interface OpenControlRequest {
  readonly subtype: string;
  readonly resolve: (answer: unknown) => void;
  readonly reject: (reason: unknown) => void;
  /** Calls off the time limit and stops listening to the caller's signal. */
  readonly release: () => void;
}

export class OutgoingControlRequests {
  readonly #options: OutgoingControlRequestsOptions;
  readonly #waiters = new Map<string, OpenControlRequest>();
  #lastId = 0;
  #gone: ClaudeExit | undefined;

  constructor(options: OutgoingControlRequestsOptions) {
    this.#options = options;
  }

  /** Asks the CLI; rejects with `ControlRefused`, `ControlTimeout` or `ClaudeExit`. */
  async request<N extends ControlName>(
    subtype: N,
    fields: ControlFields<N>,
    options: RequestOptions = {},
  ): Promise<ControlAnswer<N>> {
    const { answer, limitMs } = controlMethods[subtype];
    const given = await this.requestRaw(subtype, fields, { limitMs, ...options });
    const got: unknown = answer.read(given ?? {});
    if (got instanceof Fault)
      throw new ControlRefused(subtype, `${subtype}: ${got.describe("the answer")}`, "unreadable");
    // Read by this method's own schema just above.
    return got as ControlAnswer<N>;
  }

  /** As `request`, for a subtype this version does not know. The answer is not read. */
  requestRaw(subtype: string, fields: object, options: RequestOptions = {}): Promise<unknown> {
    const { limitMs = defaultLimitMs, signal } = options;
    return new Promise((resolve, reject) => {
      if (this.#gone !== undefined) return reject(this.#gone);
      if (signal?.aborted === true) return reject(signal.reason);
      const request_id = `bowline-${++this.#lastId}`;
      const giveUp = (): void => this.#leave(request_id)?.reject(signal?.reason);
      const cancelLimit = Number.isFinite(limitMs)
        ? this.#options.after(limitMs, () => this.#leave(request_id)?.reject(new ControlTimeout(subtype, limitMs)))
        : undefined;
      signal?.addEventListener("abort", giveUp, { once: true });
      const release = (): void => {
        cancelLimit?.();
        signal?.removeEventListener("abort", giveUp);
      };
      this.#waiters.set(request_id, { subtype, resolve, reject, release });
      try {
        this.#options.send({ type: "control_request", request_id, request: { ...fields, subtype } });
      } catch (cause) {
        this.#leave(request_id)?.reject(cause);
      }
    });
  }

  /** Ends the request this response answers. Ignores a response no request waits for: late, repeated, or not ours. */
  settle(outcome: ControlOutcome): void {
    const waiter = this.#leave(outcome.request_id);
    if (waiter === undefined) return;
    if (outcome.subtype === "success") waiter.resolve(outcome.response);
    else waiter.reject(new ControlRefused(waiter.subtype, outcome.error ?? "refused", outcome.error_code));
  }

  /** The CLI is gone: everyone who waits, and everyone who asks from here on, is told. */
  abandon(exit: ClaudeExit): void {
    this.#gone ??= exit;
    for (const id of this.#waiters.keys()) this.#leave(id)?.reject(exit);
  }

  #leave(id: string): OpenControlRequest | undefined {
    const waiter = this.#waiters.get(id);
    if (waiter === undefined) return undefined;
    this.#waiters.delete(id);
    waiter.release();
    return waiter;
  }
}

const defaultLimitMs = 60_000;
