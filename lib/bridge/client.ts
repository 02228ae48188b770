/**
 * Bridge client: the other end of the bridge's protocol, for programs on Node.
 *
 * Replies find their request by its id, messages and callbacks their session. Each
 * request ends once: answered, refused, or abandoned when the link closes.
 */
import { Fault } from "../schema/index.ts";
import type { Link } from "../wire/index.ts";
import type { CallbackAnswer, ClientMessage, Content, SessionCreate } from "./client-message.ts";
import type { QueryMethod } from "./queries.ts";
import {
  BridgeMessage,
  type CallbackQuestion,
  type CallbackRequest,
  type ErrorCode,
  type ErrorMessage,
} from "./bridge-message.ts";

/** The bridge answered with an error. */
export class BridgeFailure extends Error {
  override readonly name = "BridgeFailure";
  readonly code: ErrorCode;
  readonly details: Readonly<Record<string, unknown>> | undefined;

  constructor({ code, message, details }: ErrorMessage["payload"]) {
    super(message);
    this.code = code;
    this.details = details;
  }
}

/** The link to the bridge is gone. */
export class BridgeClosed extends Error {
  override readonly name = "BridgeClosed";
}

export interface BridgeSessionHandlers {
  /** Each message of the CLI, as it wrote it. */
  readonly onMessage?: ((message: Readonly<Record<string, unknown>>) => void) | undefined;
  /**
   * Answers a permission, a hook or, where the session asked for them, the question of
   * an MCP server. `signal` aborts when the answer no longer counts. Without it tools
   * are denied and hooks go on.
   */
  readonly onCallback?:
    | ((question: CallbackQuestion, signal: AbortSignal) => CallbackAnswer | Promise<CallbackAnswer>)
    | undefined;
  /** Errors that answer no request of ours: the CLI died, a callback ran out of time, a message did not arrive. */
  readonly onError?: ((error: BridgeFailure) => void) | undefined;
}

export interface BridgeSession {
  readonly id: string;
  /** The CLI's own id, good for the option `resume`. */
  readonly sdkSessionId: string;
  /** Gives the id under which the message is found in a result's `user_message_uuids`. */
  readonly send: (content: Content) => string;
  readonly interrupt: () => Promise<void>;
  readonly kill: () => Promise<void>;
  readonly query: (method: QueryMethod, ...args: readonly unknown[]) => Promise<unknown>;
}

export interface BridgeClientOptions {
  /** A message that belongs to no request and no session, or is none. */
  readonly onStray?: ((why: string) => void) | undefined;
}

export function bridgeClient(link: Link, options: BridgeClientOptions = {}): BridgeClient {
  return new BridgeClient(link, options);
}

interface PendingRequest {
  readonly resolve: (message: BridgeMessage) => void;
  readonly reject: (reason: Error) => void;
}

interface KnownSession {
  readonly handlers: BridgeSessionHandlers;
  readonly callbacks: Map<string, AbortController>;
}

export class BridgeClient {
  /** Resolves with the reason when the link has closed. */
  readonly closed: Promise<string>;
  readonly #link: Link;
  readonly #onStray: (why: string) => void;
  readonly #waiters = new Map<string, PendingRequest>();
  readonly #sessions = new Map<string, KnownSession>();
  readonly #creating = new Map<string, BridgeSessionHandlers>();
  #gone: BridgeClosed | undefined;
  #resolveClosed: (reason: string) => void = () => {};

  constructor(link: Link, { onStray }: BridgeClientOptions = {}) {
    this.#link = link;
    this.#onStray = onStray ?? ((): void => {});
    this.closed = new Promise((resolve) => (this.#resolveClosed = resolve));
    link.open({
      onLine: (line) => this.#take(line),
      onFault: ({ kind }) => this.#onStray(`a line of the bridge was ${kind}`),
      onDrain: () => {},
      onEnd: () => link.close("the bridge ended its output"),
      onClose: (reason) => this.#abandon(reason),
    });
  }

  /** Rejects with `BridgeFailure` or `BridgeClosed`. */
  async create(params: SessionCreate["payload"], handlers: BridgeSessionHandlers = {}): Promise<BridgeSession> {
    const id = crypto.randomUUID();
    this.#creating.set(id, handlers);
    const created = await this.#request({ type: "session.create", id, payload: params }).finally(() =>
      this.#creating.delete(id),
    );
    if (created.type !== "session.created") throw unexpected(created);
    const { session_id } = created;
    const about = (): { readonly id: string; readonly session_id: string } => ({ id: crypto.randomUUID(), session_id });
    return {
      id: session_id,
      sdkSessionId: created.payload.sdk_session_id,
      send: (content) => {
        const payload = typeof content === "string" ? { message: content } : { content };
        const message = { type: "session.send", ...about(), payload } as const;
        this.#send(message);
        return message.id;
      },
      interrupt: async () => void (await this.#request({ type: "session.interrupt", ...about(), payload: {} })),
      kill: async () => {
        await this.#request({ type: "session.kill", ...about(), payload: {} });
        this.#forget(session_id, "the session was killed");
      },
      query: async (method, ...args) => {
        const answer = await this.#request({ type: "query.call", ...about(), payload: { method, args } });
        if (answer.type !== "query.result") throw unexpected(answer);
        const { success, result, error } = answer.payload;
        if (!success) throw new BridgeFailure({ code: "QUERY_METHOD_FAILED", message: error ?? "failed" });
        return result;
      },
    };
  }

  /** Ends the link, and with it the bridge and its sessions. */
  close(reason = "the client is done"): Promise<string> {
    this.#link.close(reason);
    return this.closed;
  }

  #request(message: Exclude<ClientMessage, { readonly type: "callback.response" }>): Promise<BridgeMessage> {
    return new Promise((resolve, reject) => {
      if (this.#gone !== undefined) return reject(this.#gone);
      this.#waiters.set(message.id, { resolve, reject });
      this.#send(message);
    });
  }

  #send(message: ClientMessage): void {
    this.#link.send(JSON.stringify(message));
  }

  #take(line: string): void {
    const message = read(line);
    if (message === undefined) return this.#onStray("a line of the bridge could not be read");
    switch (message.type) {
      case "sdk.message":
        return this.#sessions.get(message.session_id)?.handlers.onMessage?.(message.payload);
      case "callback.request":
        return void this.#answer(message);
      case "callback.cancelled":
        return this.#withdraw(message.session_id, message.id, message.payload.reason);
      case "session.created": {
        // At once: its messages may be in the same chunk.
        const handlers = this.#creating.get(message.id) ?? {};
        this.#sessions.set(message.session_id, { handlers, callbacks: new Map() });
        return this.#settle(message.id, message);
      }
      case "error":
        return this.#fail(message);
      case "query.result":
      case "session.interrupted":
      case "session.killed":
        return this.#settle(message.id, message);
    }
  }

  #settle(id: string, message: BridgeMessage): void {
    const waiter = this.#waiters.get(id);
    this.#waiters.delete(id);
    if (waiter === undefined) this.#onStray(`${message.type} answers nothing`);
    else waiter.resolve(message);
  }

  #fail({ id, session_id, payload }: ErrorMessage): void {
    const failure = new BridgeFailure(payload);
    const waiter = this.#waiters.get(id ?? "");
    if (waiter !== undefined) {
      this.#waiters.delete(id ?? "");
      return waiter.reject(failure);
    }
    const session = this.#sessions.get(session_id ?? "");
    if (id !== undefined && session_id !== undefined) this.#withdraw(session_id, id, payload.message);
    if (session?.handlers.onError === undefined) this.#onStray(`${payload.code}: ${payload.message}`);
    else session.handlers.onError(failure);
  }

  /** Never rejects: a handler that throws is a no. */
  async #answer({ id, session_id, payload: question }: CallbackRequest): Promise<void> {
    const session = this.#sessions.get(session_id);
    const controller = new AbortController();
    session?.callbacks.set(id, controller);
    const no = nobody[question.callback_type];
    let answer: CallbackAnswer = no;
    try {
      answer = (await session?.handlers.onCallback?.(question, controller.signal)) ?? no;
    } catch {
      this.#onStray("onCallback threw");
    }
    if (controller.signal.aborted) return;
    session?.callbacks.delete(id);
    this.#send({ type: "callback.response", id, session_id, payload: { ...answer } });
  }

  #withdraw(session_id: string, id: string, reason: string): void {
    const session = this.#sessions.get(session_id);
    session?.callbacks.get(id)?.abort(new Error(reason));
    session?.callbacks.delete(id);
  }

  #forget(session_id: string, reason: string): void {
    for (const controller of this.#sessions.get(session_id)?.callbacks.values() ?? [])
      controller.abort(new Error(reason));
    this.#sessions.delete(session_id);
  }

  #abandon(reason: string): void {
    const gone = (this.#gone ??= new BridgeClosed(reason));
    for (const waiter of this.#waiters.values()) waiter.reject(gone);
    this.#waiters.clear();
    for (const id of this.#sessions.keys()) this.#forget(id, reason);
    this.#resolveClosed(reason);
  }
}

/** What a question is answered with when nobody does. */
const nobody = {
  can_use_tool: { behavior: "deny", message: "nobody could be asked" },
  hook: {},
  elicitation: { action: "cancel" },
} as const satisfies Readonly<Record<CallbackQuestion["callback_type"], CallbackAnswer>>;

function read(line: string): BridgeMessage | undefined {
  try {
    const message = BridgeMessage.read(JSON.parse(line));
    return message instanceof Fault ? undefined : message;
  } catch {
    return undefined;
  }
}

function unexpected({ type }: BridgeMessage): Error {
  return new TypeError(`the bridge answered with ${type}`);
}
