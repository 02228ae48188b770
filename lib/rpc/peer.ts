/**
 * One end of a JSON-RPC 2.0 connection: calls the other end and serves its calls.
 *
 * The read loop never waits for a handler. Every request gets exactly one response,
 * notifications get none, and what a handler sends before it returns is written before
 * its response. The responses to a batch are one line. No input closes the connection.
 * `$/cancel_request` is the only method handled here; all others come from the router.
 */
import { Fault } from "../schema/index.ts";
import type { LineFault, Link } from "../wire/index.ts";
import { type AnswerRequest, BatchResponses } from "./batch-responses.ts";
import { CallFailed, ConnectionClosed, errorCodes } from "./errors.ts";
import { FlowControl } from "./flow-control.ts";
import { NotificationQueue } from "./notification-queue.ts";
import {
  type BatchElement,
  encodeError,
  encodeNotification,
  encodeRequest,
  type Incoming,
  malformed,
  type Malformed,
  readCancelledId,
  readLine,
  type RpcNotification,
  type RpcRequest,
} from "./message.ts";
import { PendingCalls } from "./pending-calls.ts";
import type { MethodRoute, Router } from "./router.ts";
import { Call, invalidParams, isThenable, IncomingRequests } from "./incoming-requests.ts";

/** How many requests of the peer may run at once; further ones are refused. */
const defaultMaxRunning = 1024;
/** How many notifications may be unhandled before reading stops. */
const defaultMaxWaiting = 1024;

export interface PeerOptions {
  readonly maxRunning?: number | undefined;
  readonly maxWaiting?: number | undefined;
  /** How many messages a batch may have; 0 refuses every batch. Default: 1024. */
  readonly maxBatchLength?: number | undefined;
  /** Names a notification's sequence; notifications of one sequence are handled in order. */
  readonly sequenceOf?: ((params: unknown) => string) | undefined;
  /** Receives every error that a handler threw and that was not meant for the peer. */
  readonly onBug?: ((method: string, cause: unknown) => void) | undefined;
}

export interface CallOptions {
  /** Aborting sends `$/cancel_request` and fails the call with -32800 at once. */
  readonly signal?: AbortSignal | undefined;
}

/** One end of a JSON-RPC connection: sends calls and notifications, and answers those of the other end. */
export class Peer {
  /** Resolves with the reason when the other side is gone or `close` was called. */
  readonly closed: Promise<string>;
  /** Resolves when all handlers have answered and the link is closed. */
  readonly settled: Promise<void>;
  readonly #link: Link;
  readonly #router: Router;
  readonly #sequenceOf: (params: unknown) => string;
  readonly #onBug: (method: string, cause: unknown) => void;
  readonly #pending = new PendingCalls();
  readonly #incoming: IncomingRequests;
  readonly #batches: BatchResponses;
  readonly #maxBatchLength: number | undefined;
  readonly #answer: AnswerRequest = (_id, line) => this.#flowControl.answer(line);
  readonly #notifications: NotificationQueue;
  readonly #flowControl: FlowControl;
  #closeReason: string | undefined;
  #isLinkClosed = false;
  #resolveClosed: (reason: string) => void = () => {};
  #resolveSettled: () => void = () => {};

  constructor(link: Link, router: Router, options: PeerOptions = {}) {
    this.#link = link;
    this.#router = router;
    this.#sequenceOf = options.sequenceOf ?? (() => "");
    this.#onBug = (method, cause) => {
      try {
        options.onBug?.(method, cause);
      } catch {
        // A failing `onBug` is ignored, so that the request is still answered.
      }
    };
    this.closed = new Promise((resolve) => (this.#resolveClosed = resolve));
    this.settled = new Promise((resolve) => (this.#resolveSettled = resolve));
    this.#notifications = new NotificationQueue({
      run: (route, params) => this.#runNotification(route, params),
      lastCallId: () => this.#pending.lastId,
      onProgress: () => this.#flowControl.update(),
    });
    this.#flowControl = new FlowControl(
      link,
      this.#notifications,
      this.#pending,
      options.maxWaiting ?? defaultMaxWaiting,
    );
    this.#incoming = new IncomingRequests({
      router,
      maxRunning: options.maxRunning ?? defaultMaxRunning,
      onBug: this.#onBug,
      onIdle: () => this.#finishWhenIdle(),
    });
    this.#batches = new BatchResponses((line) => this.#flowControl.answer(line));
    this.#maxBatchLength = options.maxBatchLength;
    link.open({
      onLine: (line) => this.#onLine(line),
      onFault: (fault) => this.#refuse(malformedBy(fault), this.#answer),
      onDrain: () => this.#flowControl.drained(),
      onEnd: () => this.#end("the other side closed the connection"),
      onClose: (reason) => this.#onLinkClose(reason),
    });
  }

  get isOpen(): boolean {
    return this.#closeReason === undefined;
  }

  /** Sends a request and returns its result, not yet checked by a schema. */
  call(method: string, params: unknown, options: CallOptions = {}): Promise<unknown> {
    if (this.#closeReason !== undefined) return Promise.reject(new ConnectionClosed(this.#closeReason));
    const { signal } = options;
    if (signal?.aborted) return Promise.reject(givenUp(method));
    let sentId: number | undefined;
    const answer = this.#pending.open((id) => {
      this.#flowControl.send(encodeRequest(id, method, params));
      sentId = id;
    });
    this.#flowControl.callsChanged();
    return signal === undefined || sentId === undefined ? answer : this.#abortable(sentId, method, answer, signal);
  }

  /** Sends a notification. Returns false when the other side lags or is gone; then await `whenWritable`. */
  notify(method: string, params: unknown): boolean {
    return this.#flowControl.send(encodeNotification(method, params));
  }

  /** Sends a message that is already encoded as a line. */
  sendEncoded(line: string): boolean {
    return this.#flowControl.send(line);
  }

  /** Resolves as soon as the other side does not lag; rejects when it is gone. */
  whenWritable(): Promise<void> {
    return this.#flowControl.whenWritable();
  }

  /** Resolves when all received notifications of a sequence have been handled. */
  whenHandled(sequence: string): Promise<void> {
    return this.#notifications.whenHandled(sequence);
  }

  /** Rejects our waiting calls, aborts running handlers, sends the queued lines and closes the link. */
  close(reason = "closed here"): void {
    this.#end(reason);
    this.#closeLink(reason);
  }

  /** Like `close`, but the link stays open until every running handler has answered its request. */
  closeWhenAnswered(reason = "closed here"): void {
    this.#end(reason);
  }

  #onLine(line: string): void {
    // A request that arrives after the end can no longer be answered.
    if (this.#closeReason !== undefined) return;
    const message = readLine(line, this.#maxBatchLength);
    if (message.kind === "batch") this.#onBatch(message.elements);
    else this.#onMessage(message, line, this.#answer);
  }

  #onBatch(elements: readonly BatchElement[]): void {
    const answer = this.#batches.open(elements.filter(({ message }) => isAnswered(message)).length);
    // When full, no request of this batch is run, so the batch is answered at once and holds no responses.
    const isFull = this.#batches.isFull;
    for (const { message, text } of elements) {
      // A handler of an earlier message may have closed the connection.
      if (this.#closeReason !== undefined) return;
      if (isFull && message.kind === "request") this.#refuse(tooManyHeld(message), answer);
      else this.#onMessage(message, text, answer);
    }
  }

  #onMessage(message: Incoming, text: string, answer: AnswerRequest): void {
    switch (message.kind) {
      case "notification":
        return message.method === "$/cancel_request" ? this.#onCancel(message, text) : this.#onNotification(message);
      case "request":
        return this.#incoming.take(message, answer);
      case "response":
        // A response without a waiting call is late, repeated or made up, and is ignored.
        if (this.#pending.settle(message)) this.#flowControl.callsChanged();
        return;
      case "malformed":
        return this.#refuse(message, answer);
    }
  }

  #refuse({ id, code, why }: Malformed, answer: AnswerRequest): void {
    answer(id, encodeError(id, { code, message: why }));
  }

  #onNotification({ method, params }: RpcNotification): void {
    const route = this.#router.notification(method);
    if (route === undefined) return;
    try {
      const read = route.params.read(params ?? {});
      if (read instanceof Fault) return this.#onBug(method, invalidParams(method, read));
      // An urgent notification does not wait: it gets a sequence of its own.
      this.#notifications.deliver(route.isUrgent ? Symbol(method) : this.#sequenceOf(read), route, read);
    } catch (cause) {
      return this.#onBug(method, cause);
    }
    this.#flowControl.update();
  }

  #runNotification(route: MethodRoute, params: unknown): Promise<void> | undefined {
    try {
      const running = route.handle(params, notificationCall);
      if (!isThenable(running)) return undefined;
      return Promise.resolve(running).then(ignore, (cause: unknown) => this.#onBug(route.method, cause));
    } catch (cause) {
      this.#onBug(route.method, cause);
      return undefined;
    }
  }

  #onCancel(notification: RpcNotification, text: string): void {
    const id = readCancelledId(notification, text);
    if (id !== undefined) this.#incoming.cancel(id);
  }

  async #abortable(id: number, method: string, answer: Promise<unknown>, signal: AbortSignal): Promise<unknown> {
    const onAbort = (): void => {
      if (!this.#pending.giveUp(id, givenUp(method))) return;
      this.notify("$/cancel_request", { requestId: id });
      this.#flowControl.callsChanged();
    };
    signal.addEventListener("abort", onAbort, { once: true });
    try {
      return await answer;
    } finally {
      signal.removeEventListener("abort", onAbort);
    }
  }

  /** The other side has ended its output; running handlers may still answer. */
  #end(reason: string): void {
    if (this.#closeReason !== undefined) return;
    this.#closeReason = reason;
    this.#pending.abandon(reason);
    this.#incoming.abortAll(reason);
    this.#resolveClosed(reason);
    this.#finishWhenIdle();
  }

  #finishWhenIdle(): void {
    if (this.#closeReason === undefined || this.#incoming.size > 0) return;
    if (this.#isLinkClosed) this.#resolveSettled();
    else this.#closeLink(this.#closeReason);
  }

  #closeLink(reason: string): void {
    this.#batches.flush();
    this.#flowControl.closed(reason);
    this.#link.close(reason);
  }

  #onLinkClose(reason: string): void {
    this.#isLinkClosed = true;
    this.#flowControl.closed(reason);
    this.#end(reason);
    this.#finishWhenIdle();
  }
}

/** A notification cannot be cancelled, so all notifications share one call that never aborts. */
const notificationCall = new Call(null, "notification");

function isAnswered({ kind }: Incoming): boolean {
  return kind === "request" || kind === "malformed";
}

function tooManyHeld({ id }: RpcRequest): Malformed {
  return malformed(id, "too many responses wait for the last request of their batch", errorCodes.internalError);
}

function malformedBy(fault: LineFault): Malformed {
  switch (fault.kind) {
    case "too-long":
      return malformed(null, `a message must not be longer than ${fault.maxLineBytes} bytes`);
    case "invalid-utf8":
      return malformed(null, "not valid UTF-8", errorCodes.parseError);
  }
}

function givenUp(method: string): CallFailed {
  return new CallFailed(errorCodes.requestCancelled, `${method}: the request was cancelled`);
}

function ignore(): void {}
