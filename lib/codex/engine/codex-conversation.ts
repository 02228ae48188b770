/**
 * A conversation with Codex: prompts in, ACP updates and the ends of turns out.
 *
 * Its thread runs in the shared app-server, see `ConversationThread`; its turns are in
 * `CodexTurns`. What Codex reports is translated by `fold`.
 */
import type { SessionUpdate } from "../../acp/index.ts";
import {
  type Conversation,
  type ConversationControls,
  type ConversationHost,
  type ConversationRequest,
  EngineFailure,
  type SettingsState,
  type Prompt,
} from "../../engine/index.ts";
import { isRecord, unknown } from "../../schema/index.ts";
import type { AppServer, ServerNotification } from "../app-server/app-server.ts";
import { toFailure } from "../app-server/errors.ts";
import type { SharedAppServer } from "../app-server/shared-app-server.ts";
import { CodexNotification, threadIdOf } from "../protocol/index.ts";
import { CodexState, fold, foldEnd } from "../translate/index.ts";
import type { CodexAccount } from "./account.ts";
import { answerRequest } from "./turn/answer-request.ts";
import { codexControls } from "./codex-controls.ts";
import { ConversationSettings } from "./settings/conversation-settings.ts";
import { checkDirectory, ConversationThread, type LoadedThread } from "./thread/conversation-thread.ts";
import { CodexTurns } from "./turn/codex-turns.ts";
import type { HostData } from "./settings/host-data.ts";
import { replayHistory } from "./saved/replay-history.ts";
import { CodexRewinder } from "./saved/rewinder.ts";
import { availableCommands } from "./slash-commands.ts";

/** How long the next prompt waits for the end of an abandoned turn before the app-server is replaced. */
const abandonedEndMs = 5000;
/** How often the output of a running command is shown. */
const outputIntervalMs = 250;
/** How long `close` waits for Codex to stop what runs. */
const closeLimitMs = 2000;

export interface CodexConversationOptions {
  readonly shared: SharedAppServer;
  readonly account: CodexAccount;
  readonly hostData: HostData;
  readonly request: ConversationRequest;
  readonly host: ConversationHost;
}

export class CodexConversation implements Conversation {
  readonly prefersEditorText = false;
  readonly rewinder: CodexRewinder;
  readonly controls: ConversationControls;
  readonly #host: ConversationHost;
  readonly #shared: SharedAppServer;
  readonly #account: CodexAccount;
  readonly #hostData: HostData;
  readonly #cwd: string;
  readonly #settings: ConversationSettings;
  readonly #thread: ConversationThread;
  readonly #state: CodexState;
  readonly #turns: CodexTurns;
  #id: string | undefined;
  /** Aborts when the conversation is closed. */
  readonly #closing = new AbortController();
  #isClosed = false;
  #pausedServer: AppServer | undefined;
  #isPaused = false;
  /** Set while output of a running command waits to be shown. */
  #cancelTick: (() => void) | undefined;
  #onResumed: (() => void)[] = [];

  constructor({ shared, account, hostData, request, host }: CodexConversationOptions) {
    this.#shared = shared;
    this.#account = account;
    this.#hostData = hostData;
    this.#host = host;
    this.#cwd = request.cwd;
    this.#settings = new ConversationSettings(request.settings, request.additionalDirectories);
    this.#state = new CodexState(host.view);
    const push = (updates: readonly SessionUpdate[]): void => this.#push(updates);
    this.#thread = new ConversationThread({
      shared,
      hostData,
      request,
      settings: this.#settings,
      listener: {
        onNotification: (notification) => this.#onNotification(notification),
        onUnknownThreadTurn: (notification) => this.#onNotification(notification),
        onRequest: (asked, signal) => {
          const withdrawn = abortedWith(signal, this.#closing.signal);
          const tell = this.#turns.tell.bind(this.#turns);
          return answerRequest(asked, withdrawn, { state: this.#state, host, push, tell });
        },
        onLost: (failure) => this.#onLost(failure),
      },
    });
    this.#turns = new CodexTurns({
      host,
      thread: this.#thread,
      state: this.#state,
      settings: this.#settings,
      cwd: request.cwd,
      trace: request.requestedOptions?.traceContext,
      push,
      change: (loaded, optionId, value) => this.#change(loaded, optionId, value),
      clear: () => this.#clear(),
    });
    this.controls = codexControls({
      load: () => this.#load(),
      state: this.#state,
      model: () => this.#settings.state.model,
    });
    this.rewinder = new CodexRewinder({
      cwd: request.cwd,
      load: () => this.#load(),
      revert: (turnId) => this.#thread.revert(turnId),
    });
  }

  get id(): string {
    return this.#id ?? this.#thread.id;
  }

  get savedId(): string {
    return this.#thread.id;
  }

  get isRunning(): boolean {
    return this.#thread.loaded !== undefined;
  }

  get isBusy(): boolean {
    return this.#turns.isBusy;
  }

  /** Codex does not report of every subagent when its work is over. */
  get mayHaveAgents(): boolean {
    return this.#state.agents.size > 0;
  }

  get settingsState(): SettingsState {
    return this.#settings.state;
  }

  /** Codex has no rules about reading. */
  mayInlineFile(): Promise<boolean> {
    return Promise.resolve(true);
  }

  async start(): Promise<void> {
    try {
      checkDirectory(this.#cwd);
      const { server } = await this.#account.acquire();
      const [signedIn, loaded, models] = await Promise.allSettled([
        this.#account.check(server),
        this.#load(),
        this.#hostData.models(server),
      ]);
      // Without a sign-in the other requests may fail too.
      for (const one of [signedIn, loaded, models]) if (one.status === "rejected") throw one.reason;
      if (models.status === "fulfilled") this.#settings.setModels(models.value);
      this.#id = this.#thread.id;
      this.#host.onEvent({ type: "commands_changed", commands: availableCommands });
    } catch (cause) {
      this.#thread.unload();
      throw toFailure(cause, "starting the conversation");
    }
  }

  async replay(signal: AbortSignal): Promise<void> {
    const { server, threadId } = await this.#load();
    // A session in which prompts were taken back is shown again.
    this.#state.calls.forgetEnded();
    await replayHistory({
      server,
      threadId,
      state: this.#state,
      signal,
      push: (updates) => this.#push(updates),
      whenResumed: () => this.#whenResumed(),
    });
  }

  async ready(isWanted: () => boolean): Promise<void> {
    const { abandoned } = this.#turns;
    if (abandoned !== undefined) {
      const cancelLimit = this.#host.after(abandonedEndMs, () => {
        const { run } = this.#thread.loaded ?? {};
        if (run !== undefined) this.#shared.discard(run, "it did not stop when a turn was cancelled");
        abandoned.end();
      });
      await abandoned.ended.finally(cancelLimit);
    }
    if (isWanted()) await this.#load();
  }

  submit(prompt: Prompt, added: readonly Prompt[] = []): void {
    // Shown once, in the first conversation that is used.
    for (const one of this.#thread.loaded?.run.threads.takeNotices() ?? []) this.#onNotification(one);
    this.#turns.submit(prompt, added);
  }

  steer(prompt: Prompt): boolean {
    return this.#turns.steer(prompt);
  }

  interrupt(): void {
    this.#turns.interrupt();
  }

  abandon(): void {
    this.#turns.abandon();
  }

  async change(optionId: string, value: string): Promise<void> {
    const { loaded } = this.#thread;
    // Without a loaded thread the choice is sent when the thread is resumed.
    if (loaded === undefined) return void this.#settings.choose(optionId, value);
    await this.#change(loaded, optionId, value);
  }

  async rename(title: string): Promise<boolean> {
    const { loaded } = this.#thread;
    if (loaded === undefined) return false;
    const { server, threadId } = loaded;
    try {
      await server.request("thread/name/set", { threadId, name: title }, unknown);
      return true;
    } catch (cause) {
      if (!server.isOpen) return false;
      throw toFailure(cause, "renaming the conversation");
    }
  }

  pause(): void {
    if (this.#isPaused) return;
    this.#isPaused = true;
    this.#pausedServer = this.#thread.loaded?.server;
    this.#pausedServer?.pause();
  }

  resume(): void {
    if (!this.#isPaused) return;
    this.#isPaused = false;
    this.#pausedServer?.resume();
    this.#pausedServer = undefined;
    for (const resolve of this.#onResumed.splice(0)) resolve();
  }

  release(): boolean {
    if (this.isBusy || this.#state.isRunning || this.#turns.abandoned !== undefined) return false;
    this.resume();
    this.#thread.unload();
    return true;
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.resume();
    const { loaded } = this.#thread;
    const isWorking = this.isBusy || this.#state.isRunning;
    // Before anything is awaited: the agent reports nothing once the session is closed.
    this.#push(foldEnd(this.#state, "The session was closed."));
    if (loaded !== undefined && isWorking) {
      const { server, threadId } = loaded;
      this.#turns.interrupt();
      // Codex does not withdraw the questions of a thread without a listener.
      this.#closing.abort(new Error("the conversation is closed"));
      // Codex handles requests in their order, so its answer means that the commands are stopped.
      await server
        .request("thread/backgroundTerminals/clean", { threadId }, unknown, { limitMs: closeLimitMs })
        .catch(() => {});
    }
    this.#isClosed = true;
    this.#cancelTick?.();
    this.#turns.close();
    this.#thread.unload();
  }

  async #load(): Promise<LoadedThread> {
    const loaded = await this.#thread.load();
    this.#state.threadId = loaded.threadId;
    return loaded;
  }

  async #change({ server, threadId }: LoadedThread, optionId: string, value: string): Promise<void> {
    const overrides = this.#settings.choose(optionId, value);
    await server.request("thread/settings/update", { threadId, ...overrides }, unknown).catch((cause: unknown) => {
      throw toFailure(cause, `changing the ${optionId}`);
    });
  }

  async #clear(): Promise<void> {
    await this.#thread.clear();
    this.#state.threadId = this.#thread.id;
  }

  #onNotification(raw: ServerNotification): void {
    if (this.#isClosed) return;
    // The schema turns every fault into an unknown message, so the result is always a notification.
    const notification = CodexNotification.read(raw) as CodexNotification;
    const threadId = threadIdOf(raw);
    const isOwn = threadId !== undefined && threadId === this.#thread.loaded?.threadId;
    if (isOwn && this.#handle(notification, raw)) return;
    this.#show(notification);
  }

  /** What a notification of the conversation's own thread does. Returns true when it is shown later or not at all. */
  #handle(notification: CodexNotification, raw: ServerNotification): boolean {
    const turns = this.#turns;
    if (notification.method === "turn/completed") {
      turns.onTurnCompleted(notification, () => this.#show(notification));
      return true;
    }
    if (notification.method === "error") return turns.onError(notification);
    if (notification.method === "thread/closed") {
      this.#thread.onClosed();
      this.#onLost(new EngineFailure("exited", "Codex has closed the conversation"));
      return true;
    }
    if (notification.method === "turn/started") turns.onTurnStarted(notification.params.turn);
    else if (notification.method === "item/started") turns.onItemStarted(notification.params.item);
    else if (raw.method === "thread/goal/updated")
      turns.onGoal(isRecord(raw.params["goal"]) && raw.params["goal"]["status"]);
    else if (
      notification.method === "thread/settings/updated" &&
      this.#settings.onUpdated(notification.params.threadSettings)
    ) {
      this.#host.onEvent({ type: "settings_changed" });
    }
    return false;
  }

  /** Reports what the client sees of a notification. */
  #show(notification: CodexNotification): void {
    const agentCount = this.#state.agents.size;
    const updates = fold(this.#state, notification);
    if (this.#state.agents.size !== agentCount) for (const id of this.#state.agents.keys()) this.#thread.listenTo(id);
    if (this.#turns.abandoned === undefined) this.#push(updates);
    this.#showOutput();
    if (notification.method === "item/completed") this.#turns.onItemCompleted();
  }

  /** Shows the output of running commands at most four times a second. */
  #showOutput(): void {
    if (this.#cancelTick !== undefined || this.#isClosed || !this.#state.calls.isPausing) return;
    this.#cancelTick = this.#host.after(outputIntervalMs, () => {
      this.#cancelTick = undefined;
      const updates = this.#state.calls.tick();
      if (this.#turns.abandoned === undefined) this.#push(updates);
      this.#showOutput();
    });
  }

  #onLost(failure: EngineFailure): void {
    this.#pausedServer = undefined;
    if (this.#isClosed) return;
    this.#push(foldEnd(this.#state, `${failure.message}.`));
    this.#turns.onLost(failure);
  }

  #push(updates: readonly SessionUpdate[]): void {
    if (updates.length > 0 && !this.#isClosed) this.#host.onEvent({ type: "updates", updates });
  }

  #whenResumed(): Promise<void> {
    return this.#isPaused ? new Promise((resolve) => this.#onResumed.push(resolve)) : Promise.resolve();
  }
}

/** Aborts as soon as one of the two does. */
function abortedWith(first: AbortSignal, second: AbortSignal): AbortSignal {
  const both = new AbortController();
  for (const one of [first, second]) {
    if (one.aborted) both.abort(one.reason);
    else one.addEventListener("abort", () => both.abort(one.reason), { once: true, signal: both.signal });
  }
  return both.signal;
}
