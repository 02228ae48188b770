/**
 * One connection of the hub to an agent, made for clients of one profile.
 *
 * Passes the agent's updates and requests to the session they belong to. Updates of a
 * session that is just being opened are held back until the hub knows the session.
 */
import { InitializeResponse, protocolVersion } from "../../acp/index.ts";
import {
  type Call,
  type CallOptions,
  errorCodes,
  Peer,
  readResult,
  type MethodRoute,
  type Router,
  RpcError,
} from "../../rpc/index.ts";
import { isRecord, unknown } from "../../schema/index.ts";
import type { Link } from "../../wire/index.ts";
import type { ClientProfile } from "../client/client-profile.ts";
import { forwarded } from "./forwarded.ts";

/** An agent that has been started. */
export interface StartedAgent {
  readonly link: Link;
  /** Resolves when no process of the agent runs any longer. */
  readonly stop: (reason: string) => Promise<void>;
  /** Adds what is known, such as the end of stderr, to the reason why the agent is gone. */
  readonly explainExit?: ((reason: string) => string) | undefined;
}

/** An agent that the hub can start. */
export interface UpstreamSource {
  /** Names the agent in requests; unique in a hub. */
  readonly name: string;
  /** Shown to the user. */
  readonly title: string;
  readonly start: () => StartedAgent;
}

/** Takes what an agent sends about one session. */
export interface SessionReceiver {
  /** May return a promise, during which the agent's later updates wait. */
  readonly notified: (method: string, params: Readonly<Record<string, unknown>>) => void | Promise<void>;
  readonly requested: (method: string, params: Readonly<Record<string, unknown>>, call: Call) => unknown;
}

export interface UpstreamOptions {
  readonly source: UpstreamSource;
  readonly profile: ClientProfile;
  readonly onBug: (doing: string, cause: unknown) => void;
  /** Called with a notification that belongs to no session. */
  readonly onStray?: ((method: string, params: Readonly<Record<string, unknown>>) => void) | undefined;
}

/** Notifications that are held for sessions whose opening is not answered yet. */
const maxEarly = 4096;

export class Upstream {
  readonly source: UpstreamSource;
  readonly profile: ClientProfile;
  /** Resolves with the reason when the agent is gone. */
  readonly closed: Promise<string>;
  readonly #agent: StartedAgent;
  readonly #peer: Peer;
  readonly #onStray: UpstreamOptions["onStray"];
  readonly #receivers = new Map<string, SessionReceiver>();
  #early: { readonly method: string; readonly params: Readonly<Record<string, unknown>> }[] = [];
  #openingCount = 0;
  #response: InitializeResponse = { protocolVersion };

  private constructor({ source, profile, onBug, onStray }: UpstreamOptions) {
    this.source = source;
    this.#onStray = onStray;
    this.profile = profile;
    this.#agent = source.start();
    this.#peer = new Peer(this.#agent.link, this.#router(), { sequenceOf: sessionOf, onBug });
    this.closed = this.#peer.closed.then((reason) => this.#agent.explainExit?.(reason) ?? reason);
  }

  /** Starts the agent and sends `initialize`. Rejects with an `RpcError`. */
  static async start(options: UpstreamOptions): Promise<Upstream> {
    const upstream = new Upstream(options);
    try {
      const response = await upstream.call("initialize", options.profile.request);
      upstream.#response = readResult("initialize", InitializeResponse, response);
      if (upstream.#response.protocolVersion !== protocolVersion)
        throw new RpcError(errorCodes.unsupportedVersion, `${options.source.title} speaks another protocol version`);
      return upstream;
    } catch (cause) {
      await upstream.stop("initialize failed");
      throw cause;
    }
  }

  get response(): InitializeResponse {
    return this.#response;
  }

  get isOpen(): boolean {
    return this.#peer.isOpen;
  }

  get sessionCount(): number {
    return this.#receivers.size;
  }

  async call(method: string, params: unknown, options?: CallOptions): Promise<unknown> {
    try {
      return await forwarded(this.#peer.call(method, params, options), this.source.title);
    } catch (cause) {
      if (this.#peer.isOpen) throw cause;
      // The agent's last words say more than the end of its output.
      throw new RpcError(errorCodes.internalError, `the agent is gone: ${this.source.title}: ${await this.closed}`);
    }
  }

  notify(method: string, params: unknown): void {
    this.#peer.notify(method, params);
  }

  /** Resolves when every update that was received for the session has been taken. */
  whenHandled(sessionId: string): Promise<void> {
    return this.#peer.whenHandled(sessionId);
  }

  /** Runs a call that opens a session. Until `work` settles, updates of unknown sessions are held. */
  async opening<T>(work: () => Promise<T>): Promise<T> {
    this.#openingCount++;
    try {
      return await work();
    } finally {
      if (--this.#openingCount === 0) this.#early = [];
    }
  }

  /** From now on the session's updates and requests go to `receiver`. */
  add(sessionId: string, receiver: SessionReceiver): void {
    this.#receivers.set(sessionId, receiver);
    const early = this.#early;
    this.#early = early.filter(({ params }) => params["sessionId"] !== sessionId);
    for (const { method, params } of early) {
      if (params["sessionId"] === sessionId) void receiver.notified(method, params);
    }
  }

  remove(sessionId: string): void {
    this.#receivers.delete(sessionId);
  }

  async stop(reason: string): Promise<void> {
    this.#peer.close(reason);
    await Promise.all([this.#peer.settled, this.#agent.stop(reason)]);
  }

  #router(): Router {
    const notification = (method: string): MethodRoute => ({
      method,
      params: unknown,
      handle: (params) => this.#notified(method, params),
    });
    const request = (method: string): MethodRoute => ({
      method,
      params: unknown,
      handle: (params, call) => this.#requested(method, params, call),
    });
    return { notification, request };
  }

  #notified(method: string, params: unknown): void | Promise<void> {
    if (!isRecord(params)) return;
    const sessionId = sessionOf(params);
    if (sessionId === "") return this.#onStray?.(method, params);
    const receiver = this.#receivers.get(sessionId);
    if (receiver !== undefined) return receiver.notified(method, params);
    if (this.#openingCount > 0 && this.#early.length < maxEarly) this.#early.push({ method, params });
  }

  #requested(method: string, params: unknown, call: Call): unknown {
    const receiver = isRecord(params) ? this.#receivers.get(sessionOf(params)) : undefined;
    if (receiver !== undefined && isRecord(params)) return receiver.requested(method, params, call);
    if (method === "elicitation/create") return { action: "cancel" };
    throw new RpcError(errorCodes.methodNotFound, `${method}: no client is connected for this request`);
  }
}

/** The session that a message belongs to; empty when it belongs to none. */
function sessionOf(params: unknown): string {
  return isRecord(params) && typeof params["sessionId"] === "string" ? params["sessionId"] : "";
}
