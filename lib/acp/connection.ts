/**
 * Connection: typed calls to the other side, refused here when they would be
 * wrong there.
 *
 * Before a call leaves, its params are read by their own schema (absolute paths,
 * lines from 1) and the other side's capabilities are asked. What comes back is
 * read too.
 */
import {
  CallFailed,
  type CallOptions,
  errorCodes,
  type Link,
  type MethodTable,
  type NotificationName,
  type Params,
  Peer,
  type PeerOptions,
  readResult,
  type RequestName,
  type Result,
  type Router,
} from "../rpc/index.ts";
import { Fault, isRecord, unknown } from "../schema/index.ts";

/** A method outside the protocol; its name begins with an underscore. */
export type ExtensionName = `_${string}`;

export type ConnectionOptions = Omit<PeerOptions, "sequenceOf">;

export interface ConnectionParts<Remote extends MethodTable> {
  readonly link: Link;
  readonly router: Router;
  readonly remote: Remote;
  /** The capability the other side lacks for this; undefined when the way is free. */
  readonly missing: (method: keyof Remote & string, params: unknown) => string | undefined;
  readonly options: ConnectionOptions;
}

export class Connection<Remote extends MethodTable> {
  /** Resolves with the reason once the other side is gone or `close` was called. */
  readonly closed: Promise<string>;
  /** Resolves when nothing is left to do: all handlers have answered and the link is closed. */
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
    params: Params<Remote[M]>,
    options?: CallOptions,
  ): Promise<Result<Remote[M]>> {
    const checked = this.#check(method, params);
    const result = await this.peer.call(method, checked, options);
    // The entry's own result schema gives the type that `Result` reads from it.
    return readResult(method, this.#remote[method]?.result ?? unknown, result) as Result<Remote[M]>;
  }

  /** Tells the other side something. False: it lags or is gone. */
  notify<M extends NotificationName<Remote>>(method: M, params: Params<Remote[M]>): boolean {
    return this.peer.notify(method, this.#check(method, params));
  }

  callExtension(method: ExtensionName, params: unknown, options?: CallOptions): Promise<unknown> {
    return this.peer.call(method, params, options);
  }

  notifyExtension(method: ExtensionName, params: unknown): boolean {
    return this.peer.notify(method, params);
  }

  /** Resolves at once while the other side keeps up; rejects when it is gone. */
  whenWritable(): Promise<void> {
    return this.peer.whenWritable();
  }

  /** Fails what waits, aborts what runs, sends what is queued and ends the link. */
  close(reason?: string): void {
    this.peer.close(reason);
  }

  #check(method: keyof Remote & string, params: unknown): unknown {
    const read: unknown = this.#remote[method]?.params.read(params);
    if (read instanceof Fault) throw new CallFailed(errorCodes.invalidParams, `${method}: ${read.describe("params")}`);
    const missing = this.#missing(method, read);
    if (missing !== undefined) throw notAdvertised(method, missing);
    return read;
  }
}

/** The same answer the other side would have given, without asking it. */
export function notAdvertised(method: string, missing: string): CallFailed {
  return new CallFailed(errorCodes.methodNotFound, `${method}: the other side did not advertise ${missing}`);
}

/** Notifications of one session are handled in order. */
function sequenceOf(params: unknown): string {
  return isRecord(params) && typeof params["sessionId"] === "string" ? params["sessionId"] : "";
}
