/**
 * A connection to a running `codex app-server`: requests in, notifications and requests
 * of Codex out.
 *
 * Calls `onNotification` in wire order, within the call that delivered the line. Nothing
 * that Codex writes ends the connection: unreadable lines are skipped. It ends when the
 * link closes or the app-server hangs; then every waiting request is rejected and
 * `onClosed` is called, once. Must not depend on a process or a stream.
 */
import { EngineFailure } from "../../engine/index.ts";
import { Fault, type Schema } from "../../schema/index.ts";
import type { Schedule } from "../../wire/index.ts";
import type { CodexLink } from "./codex-link.ts";
import { CodexRefused } from "./errors.ts";
import { HangDetector } from "./hang-detector.ts";
import { ServerRequests, type ServerRequestHandler } from "./server-requests.ts";
import { errorCodes, notificationLine, type Params, readMessage } from "./message.ts";
import { OutgoingRequests, type AppServerRequestOptions } from "./outgoing-requests.ts";

/** A cheap request that the app-server answers from memory. */
const probeMethod = "thread/loaded/list";
/** The delay from a command's announcement, or an answer, to the scan for its processes. */
const scanDelayMs = 300;

export interface ServerNotification {
  readonly method: string;
  readonly params: Params;
}

export interface AppServerOptions {
  readonly after: Schedule;
  readonly onNotification: (notification: ServerNotification) => void;
  readonly onRequest: ServerRequestHandler;
  /** No notification follows. The process may still be exiting, see `closed`. */
  readonly onClosed: (failure: EngineFailure) => void;
  /** A handler threw. That is a bug of ours, and the turn goes on. */
  readonly onBug: (doing: string, cause: unknown) => void;
}

export class AppServer {
  /** Resolves when the process has exited. Never rejects. */
  readonly closed: Promise<void>;
  readonly #link: CodexLink;
  readonly #options: AppServerOptions;
  readonly #outgoing: OutgoingRequests;
  readonly #incoming: ServerRequests;
  readonly #hangDetector: HangDetector;
  #resolveClosed: () => void = () => {};
  #failure: EngineFailure | undefined;
  #pauseCount = 0;
  /** Set while a scan for child processes is scheduled. */
  #cancelScan: (() => void) | undefined;

  constructor(link: CodexLink, options: AppServerOptions) {
    this.#link = link;
    this.#options = options;
    this.closed = new Promise((resolve) => (this.#resolveClosed = resolve));
    const send = (line: string): void => void (this.isOpen && link.send(line));
    this.#outgoing = new OutgoingRequests({ after: options.after, send });
    const answer = (line: string): void => {
      send(line);
      this.#scheduleScan();
    };
    this.#incoming = new ServerRequests({ handle: options.onRequest, send: answer, onBug: options.onBug });
    this.#hangDetector = new HangDetector({
      after: options.after,
      isPaused: () => this.#pauseCount > 0,
      sendProbe: () => this.#outgoing.sendOnly(probeMethod, {}),
      onHung: () => this.#onHung(),
    });
    link.open({
      onLine: (line) => this.#onLine(line),
      onFault: () => this.#hangDetector.onLine(),
      onDrain: () => {},
      onEnd: () => link.close("Codex ended its output"),
      onClose: (reason) => {
        this.#fail(exitFailure(reason, link));
        this.#resolveClosed();
      },
    });
  }

  get isOpen(): boolean {
    return this.#failure === undefined;
  }

  /** Sends a request and reads the answer. Rejects with `CodexRefused` or an `EngineFailure`. */
  async request<T>(method: string, params: object, answer: Schema<T>, options?: AppServerRequestOptions): Promise<T> {
    const stopWatching = this.#hangDetector.watch();
    try {
      const got = answer.read(await this.#outgoing.request(method, params, options));
      if (!(got instanceof Fault)) return got;
      throw new CodexRefused(method, { code: errorCodes.internal, message: got.describe(`the answer to ${method}`) });
    } finally {
      stopWatching();
    }
  }

  /** Sends a request whose answer is of no interest, for example because it may never come. */
  sendOnly(method: string, params: object): void {
    this.#outgoing.sendOnly(method, params);
  }

  /** Sends a notification without params. */
  notify(method: string): void {
    if (this.isOpen) this.#link.send(notificationLine(method));
  }

  /** A turn runs until the returned function is called: an app-server that hangs is detected. */
  watch(): () => void {
    return this.#hangDetector.watch();
  }

  /** Stops reading until `resume` has been called as often. */
  pause(): void {
    if (this.#pauseCount++ === 0) this.#link.pause();
  }

  resume(): void {
    if (this.#pauseCount > 0 && --this.#pauseCount === 0) this.#link.resume();
  }

  /** Stops the process. Nothing is delivered any more. Resolves when the process has exited. */
  close(reason: string): Promise<void> {
    this.#link.close(reason);
    this.#fail(new EngineFailure("exited", `Codex was stopped: ${reason}`));
    return this.closed;
  }

  #onLine(line: string): void {
    this.#hangDetector.onLine();
    if (!this.isOpen) return;
    const message = readMessage(line);
    switch (message.kind) {
      case "result":
        return this.#outgoing.resolve(message.id, message.result);
      case "error":
        return this.#outgoing.reject(message.id, message.error);
      case "request":
        return this.#incoming.take(message.id, message);
      case "notification":
        return this.#onNotification(message);
      case "unreadable":
        return;
    }
  }

  #onNotification(notification: ServerNotification): void {
    if (notification.method === "item/started") this.#scheduleScan();
    if (notification.method === "serverRequest/resolved") this.#incoming.withdraw(notification.params["requestId"]);
    try {
      this.#options.onNotification(notification);
    } catch (cause) {
      this.#options.onBug(`codex ${notification.method}`, cause);
    }
  }

  /** When Codex is killed, the system kills the shell of a command but not what the shell has started. */
  #scheduleScan(): void {
    if (this.#cancelScan !== undefined || !this.isOpen || this.#link.scanChildren === undefined) return;
    this.#cancelScan = this.#options.after(scanDelayMs, () => {
      this.#cancelScan = undefined;
      this.#link.scanChildren?.();
    });
  }

  #onHung(): void {
    this.#fail(new EngineFailure("hung", "Codex does not answer"));
    // It would not read the end of its input.
    void this.#link.kill?.();
    this.#link.close("it does not answer");
  }

  #fail(failure: EngineFailure): void {
    if (this.#failure !== undefined) return;
    this.#failure = failure;
    this.#hangDetector.stop();
    this.#cancelScan?.();
    this.#outgoing.abandon(failure);
    this.#incoming.abandon(failure);
    this.#options.onClosed(failure);
  }
}

/** Codex ended without being asked to. Its last line on stderr usually says why. */
function exitFailure(reason: string, link: CodexLink): EngineFailure {
  const exit = link.exit?.();
  const last = exit?.code === null ? undefined : exit?.stderr.at(-1);
  return new EngineFailure("exited", last === undefined ? reason : `${reason}: ${plainLine(last)}`);
}

const maxStderrChars = 300;

function plainLine(line: string): string {
  // The codes that colour the text.
  // oxlint-disable-next-line no-control-regex
  return line.replaceAll(/\u001B\[[\d;]*m/g, "").slice(0, maxStderrChars);
}
