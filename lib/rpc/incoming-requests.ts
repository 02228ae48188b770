/**
 * Runs the handlers of the peer's requests and answers each request exactly once.
 *
 * The response is the handler's result, the `RpcError` that the handler threw, or an
 * internal error without detail when the handler has a bug. Has no link: each response
 * goes to the `answer` function that came with its request.
 */
import { Fault, shownWord } from "../schema/index.ts";
import type { AnswerRequest } from "./batch-responses.ts";
import { CallFailed, errorCodes, RpcError } from "./errors.ts";
import { encodeError, encodeResult, type Id, type RpcRequest } from "./message.ts";
import type { Router } from "./router.ts";

export interface IncomingRequestsOptions {
  readonly router: Router;
  readonly maxRunning: number;
  readonly onBug: (method: string, cause: unknown) => void;
  /** Called when the last running request has been answered. */
  readonly onIdle: () => void;
}

/**
 * A request of the peer while its handler runs, with the signal that aborts it.
 *
 * The AbortController is made when a handler first reads `signal`; most never do.
 */
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

export class IncomingRequests {
  readonly #options: IncomingRequestsOptions;
  readonly #running = new Set<Call>();

  constructor(options: IncomingRequestsOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#running.size;
  }

  take({ id, method, params }: RpcRequest, answer: AnswerRequest): void {
    const route = this.#options.router.request(method);
    if (route === undefined) return fail(id, methodNotFound(method), answer);
    if (this.#running.size >= this.#options.maxRunning) return fail(id, tooMany(this.#options.maxRunning), answer);
    const call = new Call(id, method);
    this.#running.add(call);
    try {
      const read = route.params.read(params ?? {});
      if (read instanceof Fault) return this.#failCall(call, invalidParams(method, read), answer);
      const result = route.handle(read, call);
      if (!isThenable(result)) return this.#succeed(call, result, answer);
      Promise.resolve(result).then(
        (value) => this.#succeed(call, value, answer),
        (cause: unknown) => this.#failCall(call, cause, answer),
      );
    } catch (cause) {
      this.#failCall(call, cause, answer);
    }
  }

  /** Aborts every running request with this id. Their handlers still answer. */
  cancel(id: Id): void {
    for (const call of this.#running) if (call.id === id) call.abort("the request was cancelled");
  }

  abortAll(reason: string): void {
    for (const call of this.#running) call.abort(reason);
  }

  #succeed(call: Call, result: unknown, answer: AnswerRequest): void {
    let line: string;
    try {
      line = encodeResult(call.id, result === undefined ? {} : result);
    } catch (cause) {
      return this.#failCall(call, cause, answer);
    }
    answer(call.id, line);
    this.#leave(call);
  }

  #failCall(call: Call, cause: unknown, answer: AnswerRequest): void {
    if (cause instanceof RpcError && !(cause instanceof CallFailed)) fail(call.id, cause, answer);
    else if (call.isAborted) fail(call.id, cancelled(call.method), answer);
    else {
      this.#options.onBug(call.method, cause);
      fail(call.id, new RpcError(errorCodes.internalError, "internal error"), answer);
    }
    this.#leave(call);
  }

  #leave(call: Call): void {
    this.#running.delete(call);
    if (this.#running.size === 0) this.#options.onIdle();
  }
}

function fail(id: Id, error: RpcError, answer: AnswerRequest): void {
  let line: string;
  try {
    line = encodeError(id, error.toObject());
  } catch {
    // Only `data` can fail to encode, so the error is sent without it.
    line = encodeError(id, { code: error.code, message: error.message });
  }
  answer(id, line);
}

function tooMany(maxRunning: number): RpcError {
  return new RpcError(errorCodes.internalError, `too many requests at once, the limit is ${maxRunning}`);
}

/** Caps how much of a hostile method name is sent back. */
const maxShownMethodChars = 100;

function methodNotFound(method: string): RpcError {
  const text = `method not found: ${shownWord(method, maxShownMethodChars)}`;
  return new RpcError(errorCodes.methodNotFound, text);
}

export function invalidParams(method: string, fault: Fault): RpcError {
  return new RpcError(errorCodes.invalidParams, `${method}: ${fault.describe("params")}`);
}

function cancelled(method: string): RpcError {
  return new RpcError(errorCodes.requestCancelled, `${method}: the request was cancelled`);
}

export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === "object" && value !== null && "then" in value && typeof value.then === "function";
}
