/**
 * Typed calls to the other side, shared by the connections of agent and client.
 *
 * Before a call is sent, its params are checked by their schema (absolute paths, lines
 * from 1) and against the capabilities that the other side advertised; a wrong call
 * fails without being sent. Results are checked by their schema too.
 */
import {
  type Call,
  CallFailed,
  type CallOptions,
  errorCodes,
  type Link,
  type MethodTable,
  type NotificationName,
  type ParamsOf,
  Peer,
  type PeerOptions,
  readResult,
  type RequestName,
  type ResultOf,
  type MethodRoute,
  type Router,
} from "../rpc/index.ts";
import { Fault, isRecord, unknown } from "../schema/index.ts";

/** A method that is not part of the protocol; its name begins with an underscore. */
export type ExtensionName = `_${string}`;

/** Handlers of extension methods, for requests and notifications alike; params are not checked. */
export type Extensions = Readonly<Record<ExtensionName, (params: unknown, call: Call) => unknown>>;

export type ConnectionOptions = Omit<PeerOptions, "sequenceOf">;

export interface ConnectionParts<Remote extends MethodTable> {
  readonly link: Link;
  readonly router: Router;
  readonly remote: Remote;
  /** The capability that the other side lacks for this call; undefined when the call is allowed. */
  readonly missing: (method: keyof Remote & string, params: unknown) => string | undefined;
  readonly options: ConnectionOptions;
}

/** What the connections of both roles have in common: calls, notifications, extensions and the end. */
export class Connection<Remote extends MethodTable> {
  /** Resolves with the reason when the other side is gone or `close` was called. */
  readonly closed: Promise<string>;
  /** Resolves when all handlers have answered and the link is closed. */
  readonly settled: Promise<void>;
  protected readonly peer: Peer;
  readonly #remote: Remote;
  readonly #missing: ConnectionParts<Remote>["missing"];

  constructor({ link, router, remote, missing, options }: ConnectionParts<Remote>) {
    this.#remote = remote;
    this.#missing = missing;
    this.peer = new Peer(link, router, { ...options, sequenceOf });
    this.closed = this.peer.closed;
    this.settled = this.peer.settled;
  }

  get isOpen(): boolean {
    return this.peer.isOpen;
  }

  /** Calls a method of the other side. Fails with `RpcError` or `ConnectionClosed`. */
  async call<M extends RequestName<Remote>>(
    method: M,
    params: ParamsOf<Remote[M]>,
    options?: CallOptions,
  ): Promise<ResultOf<Remote[M]>> {
    const checked = this.#check(method, params);
    const result = await this.peer.call(method, checked, options);
    // The entry's own result schema gives the type that `ResultOf` reads from it.
    return readResult(method, this.#remote[method]?.result ?? unknown, result) as ResultOf<Remote[M]>;
  }

  /** Sends a notification. Returns false when the other side lags or is gone. */
  notify<M extends NotificationName<Remote>>(method: M, params: ParamsOf<Remote[M]>): boolean {
    return this.peer.notify(method, this.#check(method, params));
  }

  callExtension(method: ExtensionName, params: unknown, options?: CallOptions): Promise<unknown> {
    return this.peer.call(method, params, options);
  }

  notifyExtension(method: ExtensionName, params: unknown): boolean {
    return this.peer.notify(method, params);
  }

  /** Resolves as soon as the other side does not lag; rejects when it is gone. */
  whenWritable(): Promise<void> {
    return this.peer.whenWritable();
  }

  /** Rejects our waiting calls, aborts running handlers, sends the queued lines and closes the link. */
  close(reason?: string): void {
    this.peer.close(reason);
  }

  /** Like `close`, but the link stays open until every running handler has answered its request. */
  closeWhenAnswered(reason?: string): void {
    this.peer.closeWhenAnswered(reason);
  }

  #check(method: keyof Remote & string, params: unknown): unknown {
    const read: unknown = this.#remote[method]?.params.read(params);
    if (read instanceof Fault) throw new CallFailed(errorCodes.invalidParams, `${method}: ${read.describe("params")}`);
    const missing = this.#missing(method, read);
    if (missing !== undefined) throw notAdvertised(method, missing);
    return read;
  }
}

/** Adds extension methods to a router; the router's own methods come first. */
export function withExtensions(router: Router, extensions: Extensions = {}): Router {
  const routes = new Map<string, MethodRoute>();
  for (const [method, handle] of Object.entries(extensions)) routes.set(method, { method, params: unknown, handle });
  return {
    request: (method) => router.request(method) ?? routes.get(method),
    notification: (method) => router.notification(method) ?? routes.get(method),
  };
}

/** The running requests of each session, so that cancelling a session can abort them. */
export class CallsBySession {
  readonly #running = new Map<string, Set<Call>>();

  /** Runs `work`, and counts `call` as a request of the session until `work` settles. */
  async run<T>(sessionId: string, call: Call, work: () => T | Promise<T>): Promise<T> {
    const calls = this.#running.get(sessionId) ?? new Set();
    this.#running.set(sessionId, calls.add(call));
    try {
      return await work();
    } finally {
      calls.delete(call);
      if (calls.size === 0) this.#running.delete(sessionId);
    }
  }

  cancel(sessionId: string): void {
    for (const call of this.#running.get(sessionId) ?? []) call.abort("the turn was cancelled");
  }
}

/** The error that the other side would have sent for an unsupported method. */
export function notAdvertised(method: string, missing: string): CallFailed {
  return new CallFailed(errorCodes.methodNotFound, `${method}: the other side did not advertise ${missing}`);
}

/** Notifications of one session are handled in order. */
function sequenceOf(params: unknown): string {
  return isRecord(params) && typeof params["sessionId"] === "string" ? params["sessionId"] : "";
}
