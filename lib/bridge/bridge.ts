/**
 * Serves the bridge protocol (JSON lines) on a link: many CLI sessions for one client.
 *
 * An invalid line gets an error and has no other effect. While the client reads too
 * slowly, every session's CLI is paused. The bridge ends with the link, after every CLI
 * has exited. Starts no process itself: a launcher provides the CLIs.
 */
import { type Schedule, realTimer, type Link, paced } from "../wire/index.ts";
import { type CallbackResponse, type ClientMessage, readLine, type SessionCreate } from "./client-message.ts";
import type { Launcher } from "../claude/engine/index.ts";
import { unknownOptions } from "./session-options.ts";
import { defaultCallbackTimeoutMs, launchPlan } from "./launch-plan.ts";
import { type BridgeMessage, failure, failureOf } from "./bridge-message.ts";
import { HostedSession } from "./session.ts";
import { Semaphore } from "./semaphore.ts";

const defaultMaxSessions = 1024;
/** CLIs that start at the same time; each start takes about a second of one core. */
const defaultMaxStarting = 8;
/** Sessions that begin to stop in the same turn of the event loop; each takes 0.2 ms. */
const maxStopsPerTurn = 8;

export interface BridgeOptions {
  readonly launcher: Launcher;
  /** How long a callback waits for the client's response unless the session sets it; 0 means without limit. */
  readonly callbackTimeoutMs?: number | undefined;
  readonly maxSessions?: number | undefined;
  readonly maxStarting?: number | undefined;
  readonly after?: Schedule | undefined;
  /** Makes the ids of sessions and callbacks. */
  readonly newId?: (() => string) | undefined;
  /** A hint for the author of the client, such as the name of an unknown option. */
  readonly onRemark?: ((text: string) => void) | undefined;
  readonly onBug?: ((doing: string, cause: unknown) => void) | undefined;
}

export interface Bridge {
  /** Resolves with the reason when the link has closed and every CLI has exited. */
  readonly closed: Promise<string>;
  readonly close: (reason: string) => void;
}

/** Serves the bridge on a link: many sessions of the Claude CLI for a program in any language. */
export function bridge(link: Link, options: BridgeOptions): Bridge {
  const host = new Host(link, options);
  return { closed: host.closed, close: (reason) => host.close(reason) };
}

class Host implements Bridge {
  readonly closed: Promise<string>;
  readonly #link: Link;
  readonly #options: BridgeOptions;
  readonly #after: Schedule;
  readonly #newId: () => string;
  readonly #starts: Semaphore;
  readonly #mayStop = paced(maxStopsPerTurn);
  readonly #sessions = new Map<string, HostedSession>();
  /** One promise per killed session whose CLI has not exited yet. */
  readonly #stopping = new Set<Promise<void>>();
  /** The client has not read what was sent; every session is paused. */
  #isClientSlow = false;
  #stopped: Promise<void> | undefined;
  #resolveClosed: (reason: string) => void = () => {};

  constructor(link: Link, options: BridgeOptions) {
    this.#link = link;
    this.#options = options;
    this.#after = options.after ?? realTimer;
    this.#newId = options.newId ?? (() => crypto.randomUUID());
    this.#starts = new Semaphore(options.maxStarting ?? defaultMaxStarting);
    this.closed = new Promise((resolve) => (this.#resolveClosed = resolve));
    link.open({
      onLine: (line) => this.#onLine(line),
      onFault: (fault) => {
        const why = fault.kind === "too-long" ? `at most ${fault.maxLineBytes} bytes long` : "UTF-8";
        this.#send(failure("INVALID_MESSAGE", `the line must be ${why}`, {}));
      },
      onDrain: () => this.#setClientSlow(false),
      onEnd: () => this.close("the client ended its output"),
      onClose: (reason) => void this.#stop(reason).then(() => this.#resolveClosed(reason)),
    });
  }

  /** Ends every CLI, then the link. */
  close(reason: string): void {
    void this.#stop(reason).then(() => this.#link.close(reason));
  }

  #stop(reason: string): Promise<void> {
    const stops = (): Promise<void>[] => [...this.#sessions.values()].map((session) => session.stop(reason));
    this.#stopped ??= Promise.all([...stops(), ...this.#stopping]).then(() => {});
    return this.#stopped;
  }

  #onLine(line: string): void {
    if (this.#stopped !== undefined) return;
    const parsed = readLine(line);
    if (parsed.kind === "invalid") return this.#send(failure("INVALID_MESSAGE", parsed.why, parsed));
    try {
      this.#handle(parsed.message);
    } catch (cause) {
      this.#bug(parsed.message.type, cause);
      this.#send(failure("SDK_ERROR", "the bridge failed", parsed.message));
    }
  }

  #handle(message: ClientMessage): void {
    if (message.type === "session.create") return this.#create(message);
    const { id, session_id } = message;
    const session = this.#sessions.get(session_id);
    if (session === undefined) {
      return this.#send(failure("SESSION_NOT_FOUND", "no session has this session_id", { id, session_id }));
    }
    switch (message.type) {
      case "session.send":
        return session.send(message.payload.content ?? message.payload.message ?? "", id);
      case "session.interrupt":
        return session.interrupt(id);
      case "session.kill":
        return this.#kill(session, id);
      case "callback.response":
        return this.#answer(session, message);
      case "query.call":
        return session.query(id, message.payload.method, message.payload.args);
    }
  }

  #create({ id, payload }: SessionCreate): void {
    const { prompt, content, cwd } = payload;
    const options = payload.options ?? {};
    const { maxSessions = defaultMaxSessions, callbackTimeoutMs = defaultCallbackTimeoutMs } = this.#options;
    const unknown = unknownOptions(options);
    if (unknown.length > 0) this.#options.onRemark?.(`session.create: unknown options ${unknown.join(", ")}`);
    const plan = launchPlan(options, callbackTimeoutMs);
    if (typeof plan === "string") return this.#send(failure("SESSION_CREATE_FAILED", plan, { id }));
    if (this.#sessions.size >= maxSessions) {
      return this.#send(failure("SESSION_CREATE_FAILED", `there are ${maxSessions} sessions already`, { id }));
    }
    const session = new HostedSession(
      { id, cwd, options, plan },
      {
        send: (message) => this.#send(message),
        sendLine: (line) => this.#sendLine(line),
        launcher: this.#options.launcher,
        starts: this.#starts,
        mayStop: this.#mayStop,
        after: this.#after,
        newId: this.#newId,
        onBug: (doing, cause) => this.#bug(doing, cause),
      },
    );
    this.#sessions.set(session.id, session);
    if (this.#isClientSlow) session.pause();
    const first = content ?? (prompt?.trim() === "" ? undefined : prompt);
    session.open(first).catch((cause: unknown) => {
      if (session.isStopped) return;
      // A session whose CLI sent a callback during startup was already announced and stays.
      const session_id = session.id;
      if (session.isAnnounced) return this.#send(failureOf("SDK_ERROR", cause, { session_id }));
      this.#sessions.delete(session_id);
      this.#send(failureOf("SESSION_CREATE_FAILED", cause, { id }));
    });
  }

  #kill(session: HostedSession, id: string): void {
    this.#sessions.delete(session.id);
    const stopped = session.stop("the session was killed").then(() => {
      this.#stopping.delete(stopped);
      this.#send({ type: "session.killed", id, session_id: session.id, payload: {} });
    });
    this.#stopping.add(stopped);
  }

  #answer(session: HostedSession, { id, session_id, payload }: CallbackResponse): void {
    const outcome = session.answer(id, payload);
    if (outcome === true) return;
    if (outcome === false) {
      return this.#send(failure("CALLBACK_NOT_FOUND", "no callback with this id is open", { id, session_id }));
    }
    const why = `callback.response: ${outcome.under("payload").describe()}`;
    this.#send(failure("INVALID_MESSAGE", why, { id, session_id }));
  }

  #send(message: BridgeMessage): void {
    this.#sendLine(JSON.stringify(message));
  }

  #sendLine(line: string): void {
    if (!this.#link.send(line)) this.#setClientSlow(true);
  }

  #setClientSlow(isSlow: boolean): void {
    if (this.#isClientSlow === isSlow) return;
    this.#isClientSlow = isSlow;
    for (const session of this.#sessions.values()) {
      if (isSlow) session.pause();
      else session.resume();
    }
  }

  #bug(doing: string, cause: unknown): void {
    this.#options.onBug?.(doing, cause);
  }
}
