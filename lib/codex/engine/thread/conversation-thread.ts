/**
 * The thread of a conversation in the app-server that runs now.
 *
 * Opens the thread as the conversation's request asks. When the app-server has ended or the
 * thread was unloaded, the next `load` resumes the thread in the app-server that runs then.
 * Codex does not save a thread that was never prompted; a new thread replaces it.
 */
import { statSync } from "node:fs";
import { type ConversationRequest, EngineFailure } from "../../../engine/index.ts";
import { unknown } from "../../../schema/index.ts";
import type { AppServer } from "../../app-server/app-server.ts";
import { CodexRefused, toFailure } from "../../app-server/errors.ts";
import type { CodexRun, SharedAppServer } from "../../app-server/shared-app-server.ts";
import type { ThreadListener } from "../../app-server/thread-router.ts";
import { type CodexConfig, OpenedThread } from "../../protocol/index.ts";
import type { ConversationSettings } from "../settings/conversation-settings.ts";
import type { HostData } from "../settings/host-data.ts";
import { instructions, planThreadStart, threadConfig } from "./thread-request.ts";

/** How long Codex keeps a thread, with its MCP servers and its lock, after `unload`. Codex's default is 30 minutes. */
const unloadDelaySeconds = 1;

/** A thread that an app-server has loaded. */
export interface LoadedThread {
  readonly threadId: string;
  readonly server: AppServer;
  readonly run: CodexRun;
}

export interface ConversationThreadOptions {
  readonly shared: SharedAppServer;
  readonly hostData: HostData;
  readonly request: ConversationRequest;
  readonly settings: ConversationSettings;
  readonly listener: ThreadListener;
}

export class ConversationThread {
  readonly #options: ConversationThreadOptions;
  readonly #listener: ThreadListener;
  #threadId: string | undefined;
  #loaded: LoadedThread | undefined;
  #loading: Promise<LoadedThread> | undefined;
  /** Ends the listening to the thread and its subagents, and the hold on the app-server. */
  #endings: (() => void)[] = [];
  /** The threads of subagents that are listened to. */
  readonly #agents = new Set<string>();
  /** A turn has ended in it, so Codex has saved it. */
  #isSaved = false;

  constructor(options: ConversationThreadOptions) {
    this.#options = options;
    const { start } = options.request;
    if (start.kind === "resume") {
      this.#threadId = start.id;
      this.#isSaved = true;
    }
    this.#listener = {
      ...options.listener,
      onLost: (failure) => {
        this.#forget();
        options.listener.onLost(failure);
      },
    };
  }

  /** The id under which Codex saves the conversation. Throws before the thread is opened. */
  get id(): string {
    if (this.#threadId === undefined) throw new Error("the thread is not open yet");
    return this.#threadId;
  }

  /** Undefined while no app-server has the thread. */
  get loaded(): LoadedThread | undefined {
    return this.#loaded;
  }

  /** Opens or resumes the thread unless it is loaded. Rejects with an `EngineFailure`. */
  load(): Promise<LoadedThread> {
    if (this.#loaded !== undefined) return Promise.resolve(this.#loaded);
    this.#loading ??= this.#load().finally(() => (this.#loading = undefined));
    return this.#loading;
  }

  markSaved(): void {
    this.#isSaved = true;
  }

  /** Replaces the thread by an empty one. The old one stays saved. */
  async clear(): Promise<void> {
    const { run } = await this.load();
    const opened = await this.#start(run, { sessionStartSource: "clear" });
    const release = this.#options.shared.hold();
    this.unload();
    this.#isSaved = false;
    await this.#use(run, opened).catch((cause: unknown) => {
      release();
      throw cause;
    });
    this.#endings.push(release);
  }

  /** Takes back a turn and everything after it, under the same id. Rejects with an `EngineFailure`. */
  async revert(beforeTurnId: string): Promise<void> {
    const { server, threadId } = await this.load();
    await server.request("thread/revert", { threadId, beforeTurnId }, unknown).catch((cause: unknown) => {
      throw toFailure(cause, "taking the prompt back");
    });
  }

  /** Delivers the messages of a subagent's thread too. */
  listenTo(threadId: string): void {
    const { run } = this.#loaded ?? {};
    if (run === undefined || this.#agents.has(threadId)) return;
    this.#agents.add(threadId);
    this.#endings.push(run.threads.subscribe(threadId, this.#listener));
  }

  /** Gives the thread back to Codex, which unloads it. The next `load` resumes it. */
  unload(): void {
    const loaded = this.#loaded;
    loaded?.server.sendOnly("thread/unsubscribe", { threadId: loaded.threadId });
    this.#forget();
  }

  /** Codex has unloaded the thread without a request of ours. The next `load` resumes it. */
  onClosed(): void {
    this.#forget();
  }

  async #load(): Promise<LoadedThread> {
    const { shared, request } = this.#options;
    checkDirectory(request.cwd);
    const release = shared.hold();
    try {
      const run = await shared.acquire();
      const loaded = await this.#use(run, await this.#open(run));
      this.#endings.push(release);
      return loaded;
    } catch (cause) {
      release();
      throw toFailure(cause, "opening the conversation");
    }
  }

  #open(run: CodexRun): Promise<OpenedThread> {
    const { start } = this.#options.request;
    if (this.#threadId !== undefined) return this.#resume(run, this.#threadId);
    if (start.kind === "fork") {
      const end = start.at === undefined ? {} : { lastTurnId: start.at };
      return this.#start(run, { threadId: start.id, excludeTurns: true, ...end }, "thread/fork");
    }
    return this.#start(run);
  }

  async #resume(run: CodexRun, threadId: string): Promise<OpenedThread> {
    const { cwd, mcpServers, requestedOptions } = this.#options.request;
    const config = { ...threadConfig(mcpServers, await this.#config(run)), ...unloading };
    try {
      return await run.server.request(
        "thread/resume",
        { threadId, cwd, config, excludeTurns: true, ...instructions(requestedOptions) },
        OpenedThread,
      );
    } catch (cause) {
      const isMissing = cause instanceof CodexRefused && /no rollout found/.test(cause.message);
      if (this.#isSaved || !isMissing) throw cause;
      return this.#start(run);
    }
  }

  async #start(run: CodexRun, more: object = {}, method = "thread/start"): Promise<OpenedThread> {
    const { cwd, mcpServers, requestedOptions } = this.#options.request;
    const { params, afterStart } = planThreadStart(cwd, mcpServers, await this.#config(run));
    const config = { ...params.config, ...unloading };
    const opened = await run.server.request(
      method,
      { ...params, config, ...instructions(requestedOptions), ...more },
      OpenedThread,
    );
    if (afterStart === undefined) return opened;
    const threadId = opened.thread.id;
    await run.server.request("thread/settings/update", { threadId, ...afterStart.settings }, unknown);
    return { ...opened, sandbox: afterStart.sandbox };
  }

  /** Listens to the thread, and sets what the user has chosen. */
  async #use(run: CodexRun, opened: OpenedThread): Promise<LoadedThread> {
    const { settings } = this.#options;
    const { server } = run;
    const threadId = opened.thread.id;
    this.#threadId = threadId;
    settings.onOpened(opened);
    const overrides = settings.overrides();
    if (overrides !== undefined) await server.request("thread/settings/update", { threadId, ...overrides }, unknown);
    if (!server.isOpen) throw new EngineFailure("exited", "Codex exited while it opened the conversation");
    this.#loaded = { threadId, server, run };
    this.#endings.push(run.threads.subscribe(threadId, this.#listener));
    return this.#loaded;
  }

  async #config(run: CodexRun): Promise<CodexConfig> {
    const { hostData, settings, request } = this.#options;
    const config = await hostData.config(run.server, request.cwd);
    settings.setConfig(config);
    return config;
  }

  #forget(): void {
    this.#loaded = undefined;
    this.#agents.clear();
    for (const end of this.#endings.splice(0)) end();
  }
}

const unloading = { thread_unload_delay_secs: unloadDelaySeconds };

/** Codex accepts a directory that does not exist, and fails at the first command. Throws an `EngineFailure`. */
export function checkDirectory(cwd: string): void {
  try {
    if (statSync(cwd).isDirectory()) return;
  } catch {
    // Reported below.
  }
  throw new EngineFailure("invalid", `cwd must be an existing directory: ${cwd}`);
}
