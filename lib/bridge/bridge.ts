/**
 * Bridge: the JSON-lines protocol on a link: many sessions for one client.
 *
 * A line that is wrong gets an error and nothing else happens. While the client
 * lags every session waits. Ends when the link does, and not before every CLI is
 * gone. Knows no process: a launcher brings the CLIs.
 */
import { type Schedule, wallClock, type Link, paced } from "../wire/index.ts";
import { type CallbackResponse, type ClientMessage, readLine, type SessionCreate } from "./client-message.ts";
import type { BridgeLauncher } from "./launcher.ts";
import { unknownOptions } from "./session-options.ts";
import { defaultCallbackTimeoutMs, launchPlan } from "./launch-plan.ts";
import { type BridgeMessage, failure, failureOf } from "./bridge-message.ts";
import { HostedSession } from "./session.ts";
import { Semaphore } from "./semaphore.ts";

const defaultMaxSessions = 1024;
/** CLIs that start at the same time; each takes about a second of a core. */
const defaultMaxStarting = 8;
/** Sessions whose end begins in the same turn of the event loop; each takes 0.2 ms. */
const maxStopsPerTurn = 8;

export interface BridgeOptions {
  readonly launcher: BridgeLauncher;
  /** How long a callback waits for its answer unless the session says otherwise; 0 for ever. */
  readonly callbackTimeoutMs?: number | undefined;
  readonly maxSessions?: number | undefined;
  readonly maxStarting?: number | undefined;
  readonly after?: Schedule | undefined;
  /** Makes the ids of sessions and callbacks. */
  readonly newId?: (() => string) | undefined;
  /** Something its author should know, such as an option without a meaning. */
  readonly onRemark?: ((text: string) => void) | undefined;
  readonly onBug?: ((doing: string, cause: unknown) => void) | undefined;
}

export interface Bridge {
  /** Resolves with the reason when the link has closed and no CLI is left. */
  readonly closed: Promise<string>;
  readonly close: (reason: string) => void;
}

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
  /** Sessions that were killed and are not gone yet. */
  readonly #leaving = new Set<Promise<void>>();
  #isLagging = false;
  #stopped: Promise<void> | undefined;
  #resolveClosed: (reason: string) => void = () => {};

  constructor(link: Link, options: BridgeOptions) {
    this.#link = link;
    this.#options = options;
    this.#after = options.after ?? wallClock;
    this.#newId = options.newId ?? (() => crypto.randomUUID());
    this.#starts = new Semaphore(options.maxStarting ?? defaultMaxStarting);
    this.closed = new Promise((resolve) => (this.#resolveClosed = resolve));
    link.open({
      onLine: (line) => this.#hear(line),
      onFault: (fault) => {
        const why = fault.kind === "too-long" ? `at most ${fault.maxLineBytes} bytes long` : "UTF-8";
        this.#send(failure("INVALID_MESSAGE", `the line must be ${why}`, {}));
      },
      onDrain: () => this.#lag(false),
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
    this.#stopped ??= Promise.all([...stops(), ...this.#leaving]).then(() => {});
    return this.#stopped;
  }

  #hear(line: string): void {
    if (this.#stopped !== undefined) return;
    const heard = readLine(line);
    if (heard.kind === "invalid") return this.#send(failure("INVALID_MESSAGE", heard.why, heard));
    try {
      this.#handle(heard.message);
    } catch (cause) {
      this.#bug(heard.message.type, cause);
      this.#send(failure("SDK_ERROR", "the bridge failed", heard.message));
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
    if (this.#isLagging) session.pause();
    const first = content ?? (prompt?.trim() === "" ? undefined : prompt);
    session.open(first).catch((cause: unknown) => {
      if (session.isStopped) return;
      // Announced already, because its CLI asked something while it started.
      const session_id = session.id;
      if (session.isAnnounced) return this.#send(failureOf("SDK_ERROR", cause, { session_id }));
      this.#sessions.delete(session_id);
      this.#send(failureOf("SESSION_CREATE_FAILED", cause, { id }));
    });
  }

  #kill(session: HostedSession, id: string): void {
    this.#sessions.delete(session.id);
    const gone = session.stop("the session was killed").then(() => {
      this.#leaving.delete(gone);
      this.#send({ type: "session.killed", id, session_id: session.id, payload: {} });
    });
    this.#leaving.add(gone);
  }

  #answer(session: HostedSession, { id, session_id, payload }: CallbackResponse): void {
    const taken = session.answer(id, payload);
    if (taken === true) return;
    if (taken === false) {
      return this.#send(failure("CALLBACK_NOT_FOUND", "no callback with this id is open", { id, session_id }));
    }
    const why = `callback.response: ${taken.under("payload").describe()}`;
    this.#send(failure("INVALID_MESSAGE", why, { id, session_id }));
  }

  #send(message: BridgeMessage): void {
    this.#sendLine(JSON.stringify(message));
  }

  #sendLine(line: string): void {
    if (!this.#link.send(line)) this.#lag(true);
  }

  #lag(isLagging: boolean): void {
    if (this.#isLagging === isLagging) return;
    this.#isLagging = isLagging;
    for (const session of this.#sessions.values()) {
      if (isLagging) session.pause();
      else session.resume();
    }
  }

  #bug(doing: string, cause: unknown): void {
    this.#options.onBug?.(doing, cause);
  }
}
