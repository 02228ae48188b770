/**
 * Tracks the requests we sent to the app-server that have not been answered yet.
 *
 * Each ends exactly once: answered, refused, timed out, or rejected when the app-server is
 * gone. An overloaded app-server has not taken the request, so it is sent again after a
 * growing pause.
 */
import { EngineFailure } from "../../engine/index.ts";
import type { Schedule } from "../../wire/index.ts";
import { CodexRefused } from "./errors.ts";
import { type CodexError, errorCodes, type MessageId, requestLine, type TraceContext } from "./message.ts";

const defaultLimitMs = 60_000;
const overloadPauseMs = 200;
const maxOverloadRetries = 5;

export interface OutgoingRequestsOptions {
  readonly after: Schedule;
  readonly send: (line: string) => void;
}

export interface AppServerRequestOptions {
  readonly limitMs?: number | undefined;
  readonly trace?: TraceContext | undefined;
}

interface UnansweredRequest {
  readonly method: string;
  readonly params: object;
  readonly trace: TraceContext | undefined;
  readonly resolve: (result: unknown) => void;
  readonly reject: (reason: unknown) => void;
  readonly cancelLimit: () => void;
  readonly retryCount: number;
}

export class OutgoingRequests {
  readonly #options: OutgoingRequestsOptions;
  readonly #open = new Map<MessageId, UnansweredRequest>();
  /** Requests that wait for an overloaded app-server, with what cancels the wait. */
  readonly #retrying = new Map<UnansweredRequest, () => void>();
  #lastId = 0;
  #failure: EngineFailure | undefined;

  constructor(options: OutgoingRequestsOptions) {
    this.#options = options;
  }

  /** Rejects with `CodexRefused` or an `EngineFailure`. */
  request(
    method: string,
    params: object,
    { limitMs = defaultLimitMs, trace }: AppServerRequestOptions = {},
  ): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (this.#failure !== undefined) return reject(this.#failure);
      const cancelLimit = this.#options.after(limitMs, () => {
        for (const [id, one] of this.#open) if (one.resolve === resolve) this.#open.delete(id);
        reject(new EngineFailure("hung", `Codex did not answer ${method} within ${limitMs / 1000} s`));
      });
      this.#send({ method, params, trace, resolve, reject, cancelLimit, retryCount: 0 });
    });
  }

  /** Sends a request whose answer is of no interest, for example because it may never come. */
  sendOnly(method: string, params: object): void {
    if (this.#failure === undefined) this.#options.send(requestLine(++this.#lastId, method, params));
  }

  /** Ignores an answer that no request waits for: late, repeated, or not ours. */
  resolve(id: MessageId, result: unknown): void {
    const one = this.#remove(id);
    one?.cancelLimit();
    one?.resolve(result);
  }

  reject(id: MessageId, error: CodexError): void {
    const one = this.#remove(id);
    if (one === undefined) return;
    if (error.code === errorCodes.overloaded && one.retryCount < maxOverloadRetries) return this.#retry(one);
    one.cancelLimit();
    one.reject(new CodexRefused(one.method, error));
  }

  /** The app-server is gone: rejects every waiting request and every later one. */
  abandon(failure: EngineFailure): void {
    this.#failure ??= failure;
    const waiting = [...this.#open.values(), ...this.#retrying.keys()];
    for (const cancelRetry of this.#retrying.values()) cancelRetry();
    this.#open.clear();
    this.#retrying.clear();
    for (const one of waiting) {
      one.cancelLimit();
      one.reject(failure);
    }
  }

  #retry(one: UnansweredRequest): void {
    const again = { ...one, retryCount: one.retryCount + 1 };
    const cancelRetry = this.#options.after(overloadPauseMs * 2 ** one.retryCount, () => {
      this.#retrying.delete(again);
      this.#send(again);
    });
    this.#retrying.set(again, cancelRetry);
  }

  #send(one: UnansweredRequest): void {
    const id = ++this.#lastId;
    this.#open.set(id, one);
    this.#options.send(requestLine(id, one.method, one.params, one.trace));
  }

  #remove(id: MessageId): UnansweredRequest | undefined {
    const one = this.#open.get(id);
    this.#open.delete(id);
    return one;
  }
}
