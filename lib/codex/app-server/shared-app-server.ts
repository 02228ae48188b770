/**
 * The one app-server that all conversations of an engine share.
 *
 * The first `acquire` starts the process. It is stopped when no caller has held it for `idleMs`.
 * After a crash or a hang the next `acquire` starts another process, once the old one has
 * exited: only one process may write to a thread.
 */
import { EngineFailure } from "../../engine/index.ts";
import type { Schedule } from "../../wire/index.ts";
import { Initialized } from "../protocol/index.ts";
import { AppServer, type ServerNotification } from "./app-server.ts";
import type { CodexLauncher } from "./codex-link.ts";
import { toFailure } from "./errors.ts";
import { ThreadRouter } from "./thread-router.ts";

/** How long an app-server without conversations keeps running. */
const idleMs = 30_000;

/** Notifications that are not used. The first is the diff of a whole turn, repeated at each patch. */
const optOutNotificationMethods = [
  "turn/diff/updated",
  "thread/readState/changed",
  "thread/started",
  "thread/goal/cleared",
  "remoteControl/status/changed",
];

/** One app-server process that is initialized. */
export interface CodexRun {
  readonly server: AppServer;
  readonly threads: ThreadRouter;
  readonly initialized: Initialized;
}

export interface SharedAppServerOptions {
  readonly launcher: CodexLauncher;
  readonly after: Schedule;
  /** The version of this program, which Codex reports to its API. */
  readonly version: string;
  readonly onBug: (doing: string, cause: unknown) => void;
  /** Called for every notification, before the conversation that it belongs to gets it. */
  readonly onNotification?: ((notification: ServerNotification) => void) | undefined;
}

export class SharedAppServer {
  readonly #options: SharedAppServerOptions;
  #server: AppServer | undefined;
  #run: Promise<CodexRun> | undefined;
  /** Resolves when every earlier app-server has exited. */
  #exiting: Promise<unknown> = Promise.resolve();
  #holdCount = 0;
  #cancelIdle: (() => void) | undefined;
  #isClosed = false;

  constructor(options: SharedAppServerOptions) {
    this.#options = options;
  }

  /** Whether something keeps the app-server running. */
  get isHeld(): boolean {
    return this.#holdCount > 0;
  }

  /** The running app-server, started if necessary. Rejects with an `EngineFailure`. */
  acquire(): Promise<CodexRun> {
    if (this.#isClosed) return Promise.reject(new EngineFailure("exited", "the agent is closing"));
    this.#restartIdleTimer();
    return (this.#run ??= this.#start());
  }

  /** Keeps the app-server running until the returned function is called. */
  hold(): () => void {
    let isHeld = true;
    this.#holdCount++;
    this.#restartIdleTimer();
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#holdCount--;
      this.#restartIdleTimer();
    };
  }

  /** Stops an app-server that is no longer usable. Its conversations are notified that it is lost. */
  discard(run: CodexRun, reason: string): void {
    if (run.server === this.#server) void run.server.close(reason);
  }

  /** Resolves when no app-server runs any more. */
  async close(reason: string): Promise<void> {
    this.#isClosed = true;
    this.#cancelIdle?.();
    void this.#server?.close(reason);
    await this.#run?.catch(() => {});
    await this.#exiting;
  }

  async #start(): Promise<CodexRun> {
    const { launcher, after, version, onBug, onNotification } = this.#options;
    try {
      await this.#exiting;
      if (this.#isClosed) throw new EngineFailure("exited", "the agent is closing");
      const threads = new ThreadRouter(after);
      const server = new AppServer(launcher(), {
        after,
        onBug,
        onNotification: (notification) => {
          onNotification?.(notification);
          threads.onNotification(notification);
        },
        onRequest: (request, signal) => threads.onRequest(request, signal),
        onClosed: (failure) => {
          this.#forget(server);
          threads.onLost(failure);
        },
      });
      this.#server = server;
      this.#exiting = server.closed;
      const initialized = await server.request(
        "initialize",
        {
          clientInfo: { name: "bowline", title: "Bowline", version },
          capabilities: { experimentalApi: true, requestAttestation: false, optOutNotificationMethods },
        },
        Initialized,
      );
      server.notify("initialized");
      return { server, threads, initialized };
    } catch (cause) {
      void this.#server?.close("it did not start as it should");
      this.#forget(this.#server);
      throw toFailure(cause, "starting Codex");
    }
  }

  #forget(server: AppServer | undefined): void {
    if (server !== this.#server) return;
    this.#server = undefined;
    this.#run = undefined;
  }

  #restartIdleTimer(): void {
    this.#cancelIdle?.();
    this.#cancelIdle = undefined;
    if (this.#holdCount > 0 || this.#isClosed) return;
    this.#cancelIdle = this.#options.after(idleMs, () => void this.#server?.close("no conversation uses it"));
  }
}
