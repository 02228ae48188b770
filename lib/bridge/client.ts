/**
 * Client of the bridge protocol, for Node programs.
 *
 * Matches replies to requests by id, and messages and callbacks to sessions. Each
 * request settles once: with its reply, with an error, or when the link closes.
 */
import { Fault } from "../schema/index.ts";
import type { Link } from "../wire/index.ts";
import type { CallbackAnswer, ClientMessage, PromptContent, SessionCreate } from "./client-message.ts";
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

/** The link to the bridge has closed. */
export class BridgeClosed extends Error {
  override readonly name = "BridgeClosed";
}

/**
 * A message of the CLI in its stream-json format. Its fields depend on the version of the CLI, so they are unknown
 * until they are checked; these are the usual ones.
 */
export interface BridgeCliMessage {
  /** Such as "assistant", "user", "stream_event", "system" or "result". */
  readonly type?: unknown;
  readonly subtype?: unknown;
  readonly session_id?: unknown;
  /** The final text, in a message of the type "result". */
  readonly result?: unknown;
  readonly [field: string]: unknown;
}

export interface BridgeSessionHandlers {
  /** Each message of the CLI, unchanged; `ClaudeEvent` of `bowline/claude` reads it with its type. */
  readonly onMessage?: ((message: BridgeCliMessage) => void) | undefined;
  /**
   * Answers a permission request, a hook or, if the session has `elicitation_callbacks`,
   * a question of an MCP server. `signal` aborts when the answer is no longer needed.
   * Without this handler tools are denied and hooks continue.
   */
  readonly onCallback?:
    | ((question: CallbackQuestion, signal: AbortSignal) => CallbackAnswer | Promise<CallbackAnswer>)
    | undefined;
  /** Errors that answer no request: the CLI died, a callback timed out, a message was not delivered. */
  readonly onError?: ((error: BridgeFailure) => void) | undefined;
}

export interface BridgeSession {
  readonly id: string;
  /** The CLI's own session id, for the option `resume`. */
  readonly sdkSessionId: string;
  /** Returns the id that names the message in a result's `user_message_uuids`. */
  readonly send: (content: PromptContent) => string;
  readonly interrupt: () => Promise<void>;
  readonly kill: () => Promise<void>;
  readonly query: (method: QueryMethod, ...args: readonly unknown[]) => Promise<unknown>;
}

export interface BridgeClientOptions {
  /** Called with the reason for a line that is no message, or a message of no known request or session. */
  readonly onStray?: ((why: string) => void) | undefined;
}

/** The client of a bridge, for programs in Node. */
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
  readonly #pending = new Map<string, PendingRequest>();
  readonly #sessions = new Map<string, KnownSession>();
  readonly #creating = new Map<string, BridgeSessionHandlers>();
  #closedError: BridgeClosed | undefined;
  #resolveClosed: (reason: string) => void = () => {};

  constructor(link: Link, { onStray }: BridgeClientOptions = {}) {
    this.#link = link;
    this.#onStray = onStray ?? ((): void => {});
    this.closed = new Promise((resolve) => (this.#resolveClosed = resolve));
    link.open({
      onLine: (line) => this.#onLine(line),
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
    const newIds = (): { readonly id: string; readonly session_id: string } => ({
      id: crypto.randomUUID(),
      session_id,
    });
    return {
      id: session_id,
      sdkSessionId: created.payload.sdk_session_id,
      send: (content) => {
        const payload = typeof content === "string" ? { message: content } : { content };
        const message = { type: "session.send", ...newIds(), payload } as const;
        this.#send(message);
        return message.id;
      },
      interrupt: async () => void (await this.#request({ type: "session.interrupt", ...newIds(), payload: {} })),
      kill: async () => {
        await this.#request({ type: "session.kill", ...newIds(), payload: {} });
        this.#forget(session_id, "the session was killed");
      },
      query: async (method, ...args) => {
        const answer = await this.#request({ type: "query.call", ...newIds(), payload: { method, args } });
        if (answer.type !== "query.result") throw unexpected(answer);
        const { success, result, error } = answer.payload;
        if (!success) throw new BridgeFailure({ code: "QUERY_METHOD_FAILED", message: error ?? "failed" });
        return result;
      },
    };
  }

  /** Closes the link, which ends the bridge and its sessions. */
  close(reason = "the client is done"): Promise<string> {
    this.#link.close(reason);
    return this.closed;
  }

  #request(message: Exclude<ClientMessage, { readonly type: "callback.response" }>): Promise<BridgeMessage> {
    return new Promise((resolve, reject) => {
      if (this.#closedError !== undefined) return reject(this.#closedError);
      this.#pending.set(message.id, { resolve, reject });
      this.#send(message);
    });
  }

  #send(message: ClientMessage): void {
    this.#link.send(JSON.stringify(message));
  }

  #onLine(line: string): void {
    const message = read(line);
    if (message === undefined) return this.#onStray("a line of the bridge could not be read");
    switch (message.type) {
      case "sdk.message":
        return this.#sessions.get(message.session_id)?.handlers.onMessage?.(message.payload);
      case "callback.request":
        return void this.#answer(message);
      case "callback.cancelled":
        return this.#abortCallback(message.session_id, message.id, message.payload.reason);
      case "session.created": {
        // Registered here and not in `create`: messages of the session may follow in the same chunk.
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
    const request = this.#pending.get(id);
    this.#pending.delete(id);
    if (request === undefined) this.#onStray(`${message.type} answers nothing`);
    else request.resolve(message);
  }

  #fail({ id, session_id, payload }: ErrorMessage): void {
    const failure = new BridgeFailure(payload);
    const request = this.#pending.get(id ?? "");
    if (request !== undefined) {
      this.#pending.delete(id ?? "");
      return request.reject(failure);
    }
    const session = this.#sessions.get(session_id ?? "");
    if (id !== undefined && session_id !== undefined) this.#abortCallback(session_id, id, payload.message);
    if (session?.handlers.onError === undefined) this.#onStray(`${payload.code}: ${payload.message}`);
    else session.handlers.onError(failure);
  }

  /** Never rejects: when the handler throws, the default answer is sent. */
  async #answer({ id, session_id, payload: question }: CallbackRequest): Promise<void> {
    const session = this.#sessions.get(session_id);
    const controller = new AbortController();
    session?.callbacks.set(id, controller);
    const defaultAnswer = defaultAnswers[question.callback_type];
    let answer: CallbackAnswer = defaultAnswer;
    try {
      answer = (await session?.handlers.onCallback?.(question, controller.signal)) ?? defaultAnswer;
    } catch {
      this.#onStray("onCallback threw");
    }
    if (controller.signal.aborted) return;
    session?.callbacks.delete(id);
    this.#send({ type: "callback.response", id, session_id, payload: { ...answer } });
  }

  #abortCallback(session_id: string, id: string, reason: string): void {
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
    const error = (this.#closedError ??= new BridgeClosed(reason));
    for (const request of this.#pending.values()) request.reject(error);
    this.#pending.clear();
    for (const id of this.#sessions.keys()) this.#forget(id, reason);
    this.#resolveClosed(reason);
  }
}

/** The answers sent when there is no `onCallback`, or when it throws. */
const defaultAnswers = {
  can_use_tool: { behavior: "deny", message: "the bridge client answers no permission requests" },
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
