/**
 * Passes what one app-server sends to the conversation that it belongs to, by thread id.
 *
 * A thread is often known only after its first messages: the answer to `thread/start` and
 * the messages that follow it may arrive in one read, and a subagent is named by the item
 * that started it. Messages of unknown threads are therefore kept, up to a limit, until
 * `subscribe` is called for their thread.
 */
import type { EngineFailure } from "../../engine/index.ts";
import type { Schedule } from "../../wire/index.ts";
import type { ServerNotification } from "./app-server.ts";
import { type IncomingRequest, type ServerRequestHandler, UnsupportedRequest } from "./server-requests.ts";

export interface ThreadListener {
  readonly onNotification: (notification: ServerNotification) => void;
  readonly onRequest: ServerRequestHandler;
  /** A turn has begun on a thread that no conversation listens to. It may be a subagent's. */
  readonly onUnknownThreadTurn: (notification: ServerNotification) => void;
  /** The app-server that has the thread is gone. Called at most once. */
  readonly onLost: (failure: EngineFailure) => void;
}

/** How many messages of unknown threads are kept; the oldest are dropped first. */
const maxHeld = 200;
const maxNotices = 20;
/** How long a request of an unknown thread waits for `subscribe`. */
const subscribeLimitMs = 5000;
/** Messages about the configuration, which come before the first thread and belong to no conversation. */
const noticeMethods: ReadonlySet<string> = new Set(["configWarning", "warning"]);

export class ThreadRouter {
  readonly #after: Schedule;
  readonly #listeners = new Map<string, ThreadListener>();
  #held: { readonly threadId: string; readonly notification: ServerNotification }[] = [];
  readonly #waiting = new Map<string, (() => void)[]>();
  readonly #notices: ServerNotification[] = [];

  constructor(after: Schedule) {
    this.#after = after;
  }

  /** Delivers the thread's messages from now on, and those kept so far. Returns what ends it. */
  subscribe(threadId: string, listener: ThreadListener): () => void {
    this.#listeners.set(threadId, listener);
    const held = this.#held.filter((one) => one.threadId === threadId);
    if (held.length > 0) this.#held = this.#held.filter((one) => one.threadId !== threadId);
    for (const { notification } of held) listener.onNotification(notification);
    for (const onSubscribed of this.#waiting.get(threadId) ?? []) onSubscribed();
    this.#waiting.delete(threadId);
    return () => {
      if (this.#listeners.get(threadId) === listener) this.#listeners.delete(threadId);
    };
  }

  /** Codex's warnings about the configuration since the last call. */
  takeNotices(): readonly ServerNotification[] {
    return this.#notices.splice(0);
  }

  onNotification(notification: ServerNotification): void {
    const threadId = notification.params["threadId"];
    if (typeof threadId !== "string") return this.#broadcast(notification);
    const listener = this.#listeners.get(threadId);
    if (listener !== undefined) return listener.onNotification(notification);
    if (notification.method === "turn/started") {
      for (const one of new Set(this.#listeners.values())) one.onUnknownThreadTurn(notification);
    }
    if (notification.method === "thread/closed") {
      // Codex has unloaded the thread: what follows, if it is resumed, is all that matters.
      this.#held = this.#held.filter((one) => one.threadId !== threadId);
      return;
    }
    this.#held.push({ threadId, notification });
    if (this.#held.length > maxHeld) this.#held.shift();
  }

  async onRequest(request: IncomingRequest, signal: AbortSignal): Promise<unknown> {
    const threadId = request.params["threadId"];
    if (typeof threadId !== "string") throw new UnsupportedRequest();
    if (!this.#listeners.has(threadId)) await this.#whenSubscribed(threadId);
    const listener = this.#listeners.get(threadId);
    if (listener === undefined) throw new UnsupportedRequest();
    return listener.onRequest(request, signal);
  }

  onLost(failure: EngineFailure): void {
    // A conversation listens to its subagents' threads with the same listener.
    const listeners = new Set(this.#listeners.values());
    this.#listeners.clear();
    this.#held = [];
    for (const listener of listeners) listener.onLost(failure);
  }

  #broadcast(notification: ServerNotification): void {
    if (noticeMethods.has(notification.method)) {
      if (this.#notices.length < maxNotices) this.#notices.push(notification);
      return;
    }
    for (const listener of new Set(this.#listeners.values())) listener.onNotification(notification);
  }

  /** Resolves when `subscribe` is called for the thread, or after `subscribeLimitMs`. */
  #whenSubscribed(threadId: string): Promise<void> {
    return new Promise((resolve) => {
      const cancelLimit = this.#after(subscribeLimitMs, resolve);
      const onSubscribed = (): void => {
        cancelLimit();
        resolve();
      };
      this.#waiting.set(threadId, [...(this.#waiting.get(threadId) ?? []), onSubscribed]);
    });
  }
}
