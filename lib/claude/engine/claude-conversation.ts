/**
 * A conversation with the Claude CLI, as the engine interface defines it.
 *
 * Translates the CLI's events with `fold`. When the CLI exits or hangs, the next CLI resumes the
 * conversation. `ClaudeSupervisor` starts and stops the CLI, `ClaudeTurns` tracks the running
 * turn, and event-effects.ts is the table of what an event does besides its updates.
 */
import type { SessionUpdate } from "../../acp/index.ts";
import { type ClientView, notice } from "../../display/index.ts";
import {
  type Conversation,
  type ConversationControls,
  type ConversationHost,
  type ConversationRequest,
  type SettingsState,
  type Prompt,
} from "../../engine/index.ts";
import {
  ClaudeExit,
  type ConversationEvent,
  type HostHandlers,
  type InitializeAnswer,
  type OutgoingControlRequests,
  type SystemInit,
} from "../index.ts";
import { fold, foldEnd, foldRewind, TranslationState } from "../translate/index.ts";
import { BackgroundTasks } from "./background-tasks.ts";
import { claudeControls } from "./claude-controls.ts";
import { type ClaudeRun, readInitializeAnswer } from "./run/claude-run.ts";
import { ClaudeSettings } from "./settings/claude-settings.ts";
import { ClaudeSupervisor, type RunLaunch } from "./run/claude-supervisor.ts";
import { CommandList } from "./command-list.ts";
import { ConversationId, conversationTarget } from "./saved/conversation-id.ts";
import { ClaudeTurns } from "./turn/claude-turns.ts";
import { applyEvent, type EventTargets } from "./event-effects.ts";
import { cliFailure, isSignedOut, isUnknownConversation, notSignedIn } from "./failures.ts";
import type { HostTools } from "./host-tools.ts";
import { LiveOutput } from "./live-output.ts";
import { mcpConfiguration } from "./run/mcp-config.ts";
import { McpNotices } from "./mcp-notices.ts";
import { isToolEnabled, requestedLaunch, withTrace } from "./run/requested-launch.ts";
import { decideToolCall, forwardElicitation, type PermissionContext } from "./permission-requests.ts";
import type { ClaudeEngineOptions } from "./claude-engine.ts";
import { ClaudeRewinder } from "./saved/rewinder.ts";
import { restoreMode } from "./settings/saved-mode.ts";
import { replayWarnings } from "./saved/session-store.ts";

export class ClaudeConversation implements Conversation {
  readonly #options: ClaudeEngineOptions;
  readonly #request: ConversationRequest;
  readonly #host: ConversationHost;
  readonly #id: ConversationId;
  readonly #settings: ClaudeSettings;
  readonly #tools: HostTools;
  #state: TranslationState;
  readonly #commands: CommandList;
  readonly #supervisor: ClaudeSupervisor;
  readonly #turns: ClaudeTurns;
  readonly rewinder: ClaudeRewinder;
  readonly controls: ConversationControls;
  readonly #liveOutput: LiveOutput;
  readonly #tasks = new BackgroundTasks({
    lastWords: (id) => this.#state.calls.reportOf(id),
    now: () => performance.now(),
  });
  /** The kind of tools that the running CLI was launched with; see `HostTools.kind`. */
  #toolsKind = "";
  /** The agent that the running CLI was launched with. */
  #agent: string | undefined;
  /** The tools that the CLI needs may differ from those it was launched with. */
  #mayNeedOtherTools: boolean;
  readonly #mcpNotices = new McpNotices();
  /** The same for every file: which files the user's rules cover is known to the CLI alone. */
  readonly mayInlineFile = (): Promise<boolean> => this.#tools.mayInlineFiles();
  #isReplaying = false;
  /** Notices that wait for the end of a replay. */
  #heldNotices: SessionUpdate[] = [];
  readonly #targets: EventTargets = {
    onInit: (event) => this.#onInit(event),
    setCommands: (commands) => this.#commands.set({ commands }),
    syncMode: (mode) => this.#syncMode(mode),
    setReset: (resetsAt) => (this.#turns.resetsAt = resetsAt),
    onSignInRefused: () => this.#turns.failSignIn(),
  };

  // Some closures below refer to fields that are assigned further down. None of them is
  // called before the constructor has returned.
  constructor(options: ClaudeEngineOptions, request: ConversationRequest, host: ConversationHost) {
    this.#options = options;
    this.#request = { ...request };
    this.#host = host;
    this.#id = new ConversationId(conversationTarget(request));
    const mcpServers = mcpConfiguration(request.mcpServers);
    const { edits, commands } = request.settings;
    this.#mayNeedOtherTools = edits === "true" || commands === "true";
    const view: ClientView = {
      ...host.view,
      // During a replay the files of today say nothing about the text that an old edit replaced.
      textOf: (path) => (this.#isReplaying ? undefined : host.view.textOf(path)),
    };
    this.#tools = options.createTools({
      sessionId: this.#id.sessionId,
      cwd: request.cwd,
      additionalDirectories: request.additionalDirectories,
      client: host.client,
      view,
      after: host.after,
      env: options.env,
      onBug: host.onBug,
      settings: () => this.#settings.current,
      isToolEnabled: (name) => isToolEnabled(request.requestedOptions, name),
      control: () => this.#supervisor.current?.claude.control,
      callOf: (line) => this.#state.calls.ofCommandLine(line),
      onTerminal: (toolCallId, terminalId) => this.#emit(this.#state.calls.embed(toolCallId, terminalId)),
    });
    this.#state = new TranslationState(this.#tools.view);
    this.#commands = new CommandList((commands) => host.onEvent({ type: "commands_changed", commands }));
    this.#settings = new ClaudeSettings(request.settings, {
      mayBypass: options.mayBypass,
      editor: () => this.#tools.features,
      onChanged: () => host.onEvent({ type: "settings_changed" }),
    });
    this.#supervisor = new ClaudeSupervisor({
      after: host.after,
      launch: () => this.#launch(mcpServers),
      onEvent: (run, event) => this.#onEvent(run, event),
      onClosed: (_, exit) => {
        this.#closeCalls("The Claude CLI ended.");
        this.#turns.onExit(exit);
      },
      onBug: host.onBug,
    });
    const control = (): OutgoingControlRequests | undefined => this.#supervisor.current?.claude.control;
    this.#liveOutput = new LiveOutput({
      after: host.after,
      control,
      isRunning: (id) => this.#state.calls.showsOutput(id),
      onOutput: (id, { output, total_bytes }) =>
        this.#emit(this.#state.calls.printed(id, output ?? "", total_bytes ?? 0)),
    });
    this.rewinder = new ClaudeRewinder({
      store: options.store,
      conversationId: () => this.#id.conversationId,
      control,
      onUndone: () => this.#emit(foldRewind(this.#state)),
    });
    const emit = (updates: readonly SessionUpdate[]): void => this.#emit(updates);
    this.controls = claudeControls({ control, state: () => this.#state, tasks: this.#tasks, emit });
    this.#turns = new ClaudeTurns({
      host,
      supervisor: this.#supervisor,
      store: options.store,
      id: this.#id,
      isNew: request.start.kind === "new",
      onEnding: () => this.#emit(this.#state.calls.closeAll("It did not run to its end.")),
      onBroken: (what) => {
        this.#closeCalls(`The Claude CLI ${what}.`);
        void this.#supervisor.discard(`it ${what}`);
      },
    });
  }

  get id(): string {
    return this.#id.sessionId;
  }

  get savedId(): string {
    return this.#id.conversationId;
  }

  get isRunning(): boolean {
    return this.#supervisor.current !== undefined;
  }

  get isBusy(): boolean {
    return this.#supervisor.current?.isBusy === true;
  }

  get prefersEditorText(): boolean {
    return this.#settings.current.edits;
  }

  get settingsState(): SettingsState {
    return this.#settings.state;
  }

  async start(): Promise<void> {
    const { start } = this.#request;
    const savedMode = start.kind === "new" ? undefined : this.#options.store.lastMode(start.id);
    let answer: InitializeAnswer;
    try {
      answer = readInitializeAnswer(await this.#supervisor.launch().initialized);
    } catch (cause) {
      await this.close("the session could not be started");
      throw cliFailure(cause);
    }
    if (isSignedOut(answer)) {
      await this.close("not signed in");
      throw notSignedIn();
    }
    await this.#tools.updateObstacles();
    this.#settings.setAnswer(answer);
    this.#commands.set({ commands: answer.commands ?? [] });
    if (savedMode !== undefined) await this.#restoreMode(await savedMode);
  }

  async #restoreMode(mode: string | undefined): Promise<void> {
    const warning = await restoreMode(this.#settings, this.#supervisor.current?.claude.control, mode);
    if (warning === undefined) return;
    const update = notice(this.#host.view, "warning", warning);
    if (this.#isReplaying) this.#heldNotices.push(update);
    else this.#emit([update]);
  }

  async replay(signal: AbortSignal): Promise<void> {
    this.#isReplaying = true;
    // A state that has seen the messages would leave them out.
    this.#state = new TranslationState(this.#tools.view);
    try {
      const report = await this.rewinder.replay((event) => {
        this.#emit(fold(this.#state, event));
        return this.#host.client.whenWritable();
      }, signal);
      const notices = replayWarnings(report).map((text) => notice(this.#host.view, "warning", text));
      this.#emit([...foldEnd(this.#state, "It did not run to its end."), ...notices, ...this.#heldNotices]);
      this.#heldNotices = [];
    } catch (cause) {
      throw cliFailure(cause);
    } finally {
      this.#isReplaying = false;
    }
  }

  async ready(isWanted: () => boolean): Promise<void> {
    try {
      await this.#turns.checkLostPrompts();
      if (this.#mayNeedOtherTools && this.#isOutdated) {
        this.#supervisor.releaseIfIdle("other tools or an agent were chosen");
      }
      const run = await this.#supervisor.ready(isWanted);
      await run?.initialized;
    } catch (cause) {
      if (isUnknownConversation(cause)) this.#id.markUnsaved();
      // A CLI whose start failed would fail every later prompt.
      void this.#supervisor.discard("it did not start as it should");
      throw cliFailure(cause);
    }
  }

  submit(prompt: Prompt, added: readonly Prompt[] = []): void {
    this.#turns.submit(prompt, added);
  }

  steer(prompt: Prompt): boolean {
    return this.#turns.steer(prompt);
  }

  interrupt(): void {
    this.#turns.interrupt();
  }

  abandon(reason: string): void {
    this.#closeCalls("Cancelled.");
    this.#turns.finish();
    void this.#supervisor.discard(reason);
  }

  change(optionId: string, value: string): Promise<void> {
    this.#mayNeedOtherTools = true;
    return this.#settings.change(this.#supervisor.current?.claude.control, optionId, value);
  }

  async rename(title: string): Promise<boolean> {
    const control = this.#supervisor.current?.claude.control;
    try {
      await control?.request("rename_session", { title, source: "host" });
      return control !== undefined;
    } catch (cause) {
      if (cause instanceof ClaudeExit) return false;
      throw cliFailure(cause);
    }
  }

  pause(): void {
    this.#supervisor.current?.claude.pause();
  }

  resume(): void {
    this.#supervisor.current?.claude.resume();
  }

  get exited(): Promise<unknown> | undefined {
    return this.#supervisor.exiting;
  }

  release(reason: string): boolean {
    return this.#supervisor.releaseIfIdle(reason);
  }

  async close(reason: string): Promise<void> {
    if (this.isRunning) this.#closeCalls("The session was closed.");
    this.#turns.finish();
    await Promise.all([this.#supervisor.close(reason), this.#tools.close()]);
  }

  /** The running CLI was launched with other tools or another agent than those that are chosen now. */
  get #isOutdated(): boolean {
    return this.#toolsKind !== this.#tools.kind || this.#agent !== this.#settings.current.cli.agent;
  }

  #launch(mcpServers: ReturnType<typeof mcpConfiguration>): RunLaunch {
    this.#tasks.clear();
    const { launcher, mayBypass: allowBypass } = this.#options;
    const { cwd, additionalDirectories: addDirs } = this.#request;
    const tools = this.#tools.prepareLaunch();
    this.#toolsKind = tools.kind;
    this.#agent = this.#settings.current.cli.agent;
    const requested = requestedLaunch(this.#request.requestedOptions, tools);
    const launch = { session: this.#id.target, ...this.#settings.launch, ...requested.launch, allowBypass, addDirs };
    const { sessionId } = this.#id;
    const launched = launcher({
      sessionId,
      cwd,
      launch,
      mcpServers,
      settings: this.#settings.launchSettings,
      environment: withTrace(this.#request.requestedOptions, { ...tools.environment, fileCheckpoints: true }),
    });
    const context: PermissionContext = {
      host: this.#host,
      view: this.#state.view,
      onAllowed: (toolCallId) => this.#emit(this.#state.calls.allowed(toolCallId)),
      onStopped: () => this.#turns.endByUser(),
      onRejected: (rule) => this.#deny(rule),
      onFreshStart: (toolCallId, next) => {
        this.#emit(this.#state.calls.approved(toolCallId));
        this.#turns.endByUser(next);
      },
    };
    const handlers: HostHandlers = {
      ...tools.handlers((request, signal) => decideToolCall(request, signal, context)),
      elicitation: (request, signal) => forwardElicitation(request, signal, this.#host),
    };
    // The CLI sends the text of a subagent in the foreground only with this field.
    const forwardSubagentText = this.#host.view.wantsSubagentText === true;
    return {
      launched,
      initialize: { ...requested.initialize, ...(forwardSubagentText && { forwardSubagentText }) },
      handlers,
    };
  }

  #deny(rule: string): void {
    this.#settings.deny(this.#supervisor.current?.claude.control, rule).catch(() => {
      const text = "The Claude CLI did not take the rejection, which holds only where the CLI asks.";
      this.#emit([notice(this.#host.view, "warning", text)]);
    });
  }

  /** What one event of the CLI does: to the state, to the client, to the running turn. */
  #onEvent(run: ClaudeRun, event: ConversationEvent): void {
    if (event.type === "system" || event.type === "rate_limit_event") applyEvent(this.#targets, event);
    this.#emit(fold(this.#state, event));
    if (event.type === "system") {
      this.#liveOutput.onEvent(event);
      this.#tasks.onEvent(event);
    }
    this.#turns.onEvent(run, event);
  }

  #onInit(event: SystemInit): void {
    this.#id.update(event);
    this.#commands.set({ terminalOnly: event.terminal_slash_commands });
    for (const text of this.#mcpNotices.of(event)) this.#emit([notice(this.#host.view, "warning", text)]);
    this.#settings.syncModel(event.model);
    this.#syncMode(event.permissionMode);
  }

  #syncMode(mode: string | undefined): void {
    const control = this.#supervisor.current?.claude.control;
    this.#settings.syncMode(mode, control).then(
      (why) => why !== undefined && this.#emit([notice(this.#host.view, "warning", why)]),
      // A CLI that keeps the mode must not go on.
      () => this.abandon("it has a mode that the user has not chosen"),
    );
  }

  #closeCalls(why: string): void {
    this.#emit(foldEnd(this.#state, why));
  }

  #emit(updates: readonly SessionUpdate[]): void {
    if (updates.length > 0) this.#host.onEvent({ type: "updates", updates });
  }
}
