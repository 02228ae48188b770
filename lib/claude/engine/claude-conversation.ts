/**
 * A conversation with the Claude CLI, as the engine interface defines it.
 *
 * Translates the CLI's events with `fold`, tracks the running turn, and keeps the
 * conversation alive when the CLI exits or hangs: the next CLI resumes it. Starting and
 * stopping the CLI is `ClaudeSupervisor`'s job. What an event does is one table.
 */
import type { SessionUpdate } from "../../acp/index.ts";
import { type ClientView, notice } from "../../display/index.ts";
import {
  type Conversation,
  type ConversationHost,
  type ConversationRequest,
  EngineFailure,
  type Offers,
  type Prompt,
  type TurnEnd,
} from "../../engine/index.ts";
import {
  ClaudeExit,
  type ConversationEvent,
  type HostHandlers,
  type InitializeAnswer,
  type SystemInit,
} from "../index.ts";
import { type ClaudeTurnEnd, fold, foldEnd, promptFrame, TranslationState } from "../translate/index.ts";
import { type ClaudeRun, readInitializeAnswer } from "./claude-run.ts";
import { ClaudeSettings } from "./claude-settings.ts";
import { ClaudeSupervisor, type RunLaunch } from "./claude-supervisor.ts";
import { CommandList } from "./command-list.ts";
import { ConversationId, conversationTarget } from "./conversation-id.ts";
import { applyEvent, type EventTargets } from "./event-effects.ts";
import { cliFailure, isSignedOut, isUnknownConversation, notSignedIn, turnFailure } from "./failures.ts";
import { watchForHang } from "./hang-detector.ts";
import type { HostTools } from "./host-tools.ts";
import { LostPrompts } from "./lost-prompts.ts";
import { mcpConfiguration } from "./mcp-config.ts";
import { askPermission, forwardElicitation, type PermissionContext } from "./permission-requests.ts";
import type { ClaudeEngineOptions } from "./claude-engine.ts";
import { replayWarnings } from "./session-store.ts";
import { TurnTracker } from "./turn-tracker.ts";

export class ClaudeConversation implements Conversation {
  readonly #options: ClaudeEngineOptions;
  readonly #request: ConversationRequest;
  readonly #host: ConversationHost;
  readonly #id: ConversationId;
  readonly #settings: ClaudeSettings;
  readonly #tools: HostTools;
  readonly #state: TranslationState;
  readonly #commands: CommandList;
  readonly #supervisor: ClaudeSupervisor;
  /** The prompts that a CLI had when it died; undefined while none has died. */
  #lostPrompts: LostPrompts | undefined;
  /** The kind of tools that the running CLI was launched with; see `HostTools.kind`. */
  #toolsKind = "";
  /** The tools that the CLI needs may differ from those it was launched with. */
  #mayNeedOtherTools: boolean;
  /** The running turn. It stays here after its end, until the next prompt. */
  #turn: TurnTracker | undefined;
  #endHangWatch: () => void = () => {};
  /** MCP servers that were reported as failed. */
  readonly #failedServers = new Set<string>();
  /** The same for every file: which files the user's rules cover is known to the CLI alone. */
  readonly mayInlineFile = (): Promise<boolean> => this.#tools.mayInlineFiles();
  /** When the account's usage limit ends, in seconds since the epoch, as the CLI last reported it. */
  #resetsAt: number | undefined;
  #isReplaying = false;
  readonly #targets: EventTargets = {
    onInit: (event) => this.#onInit(event),
    setCommands: (commands) => this.#commands.set({ commands }),
    syncMode: (mode) => this.#settings.syncMode(mode),
    setReset: (resetsAt) => (this.#resetsAt = resetsAt),
    onSignInRefused: () => this.#failSignIn(),
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
      onClosed: (_, exit) => this.#onClosed(exit),
      onBug: host.onBug,
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

  get offers(): Offers {
    return this.#settings.offers;
  }

  async start(): Promise<void> {
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
  }

  async replay(signal: AbortSignal): Promise<void> {
    this.#isReplaying = true;
    try {
      const report = await this.#options.store.replay(
        this.savedId,
        (event) => {
          this.#emit(fold(this.#state, event));
          return this.#host.client.whenWritable();
        },
        signal,
      );
      const notices = replayWarnings(report).map((text) => notice(this.#host.view, "warning", text));
      this.#emit([...foldEnd(this.#state, "It did not run to its end."), ...notices]);
    } catch (cause) {
      throw cliFailure(cause);
    } finally {
      this.#isReplaying = false;
    }
  }

  async ready(isWanted: () => boolean): Promise<void> {
    try {
      await this.#lostPrompts?.check();
      if (this.#mayNeedOtherTools && this.#toolsKind !== this.#tools.kind) {
        this.#supervisor.releaseIfIdle("other tools were chosen");
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
    const frame = promptFrame(prompt);
    const turn = new TurnTracker(prompt.id, frame);
    for (const one of added) turn.add(one.id, promptFrame(one));
    this.#turn = turn;
    const run = this.#supervisor.current;
    if (run === undefined) return this.#lose(turn, new ClaudeExit("the Claude CLI ended before it got the prompt"));
    try {
      for (const lost of this.#lostPrompts?.take(turn.frames) ?? []) run.claude.prompt(lost);
      for (const one of turn.frames) run.claude.prompt(one);
    } catch (cause) {
      void this.#supervisor.discard("it could not be given the prompt");
      return this.#lose(turn, cause);
    }
    this.#endHangWatch = watchForHang({
      turn,
      claude: run.claude,
      after: this.#host.after,
      onAnswer: () => this.#acknowledge(turn),
      onHung: (cause) => {
        this.#discard("does not answer");
        this.#lose(turn, cause);
      },
    });
  }

  steer(prompt: Prompt): boolean {
    const turn = this.#turn;
    const run = this.#supervisor.current;
    if (run === undefined || turn === undefined || turn.isEnded) return false;
    const frame = promptFrame(prompt);
    turn.add(prompt.id, frame);
    run.claude.prompt(frame);
    return true;
  }

  interrupt(): void {
    if (this.#turn !== undefined) this.#turn.isInterrupted = true;
    this.#supervisor.current?.interrupt();
  }

  abandon(reason: string): void {
    this.#closeCalls("Cancelled.");
    this.#finishTurn();
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

  release(reason: string): boolean {
    return this.#supervisor.releaseIfIdle(reason);
  }

  async close(reason: string): Promise<void> {
    if (this.isRunning) this.#closeCalls("The session was closed.");
    this.#finishTurn();
    await Promise.all([this.#supervisor.close(reason), this.#tools.close()]);
  }

  #launch(mcpServers: ReturnType<typeof mcpConfiguration>): RunLaunch {
    const { launcher, mayBypass: allowBypass } = this.#options;
    const { cwd, additionalDirectories: addDirs } = this.#request;
    const tools = this.#tools.prepareLaunch();
    this.#toolsKind = tools.kind;
    const launch = { session: this.#id.target, ...this.#settings.launch, ...tools.launch, allowBypass, addDirs };
    const { sessionId } = this.#id;
    const launched = launcher({ sessionId, cwd, launch, mcpServers, environment: tools.environment });
    const context: PermissionContext = {
      host: this.#host,
      view: this.#state.view,
      onAllowed: (toolCallId) => this.#emit(this.#state.calls.allowed(toolCallId)),
      onStopped: () => this.#turn?.endByUser(),
    };
    const handlers: HostHandlers = {
      ...tools.handlers((request, signal) => askPermission(request, signal, context)),
      elicitation: (request, signal) => forwardElicitation(request, signal, this.#host),
    };
    return { launched, initialize: tools.initialize, handlers };
  }

  /** What one event of the CLI does: to the state, to the client, to the running turn. */
  #onEvent(run: ClaudeRun, event: ConversationEvent): void {
    if (event.type === "system" || event.type === "rate_limit_event") applyEvent(this.#targets, event);
    this.#emit(fold(this.#state, event));
    const turn = this.#turn;
    if (turn === undefined || turn.isEnded) return;
    this.#acknowledge(turn);
    const end = turn.onEvent(event, run.reportsIdle);
    if (end === undefined) return;
    if (end.kind !== "unanswered") return this.#endTurn(this.#turnEndOf(end));
    const text = "the Claude CLI came to rest without an answer";
    if (!turn.isInterrupted) {
      this.#recordLost(turn);
      this.#discard("ended its turn without a result");
    }
    this.#endTurn({ kind: "failed", failure: new EngineFailure("other", text) });
  }

  #onInit(event: SystemInit): void {
    this.#id.update(event);
    this.#commands.set({ terminalOnly: event.terminal_slash_commands });
    for (const { name, status } of event.mcp_servers ?? []) {
      if (status !== "failed" || this.#failedServers.has(name)) continue;
      this.#failedServers.add(name);
      this.#emit([notice(this.#host.view, "warning", `The MCP server ${name} could not be started.`)]);
    }
    this.#settings.syncModel(event.model);
    this.#settings.syncMode(event.permissionMode);
  }

  /** Ends the turn at the first refusal: the CLI would retry refused credentials for minutes. */
  #failSignIn(): void {
    if (this.#turn !== undefined && !this.#turn.isEnded) {
      this.#turn.finish();
      this.#endTurn({ kind: "failed", failure: notSignedIn("the API refused the credentials") });
    }
    this.#supervisor.current?.interrupt();
  }

  #onClosed(exit: ClaudeExit): void {
    this.#closeCalls("The Claude CLI ended.");
    const turn = this.#turn;
    if (turn !== undefined && !turn.isEnded) this.#lose(turn, exit);
  }

  /** Stops a broken CLI. */
  #discard(what: string): void {
    this.#closeCalls(`The Claude CLI ${what}.`);
    void this.#supervisor.discard(`it ${what}`);
  }

  /** The CLI that had the turn's prompt is gone. A turn that has its result ends with that result. */
  #lose(turn: TurnTracker, cause: unknown): void {
    const { result } = turn;
    turn.finish();
    if (result !== undefined) return this.#endTurn(this.#turnEndOf(result));
    if (!turn.isInterrupted) this.#recordLost(turn);
    this.#endTurn({ kind: "lost", failure: cliFailure(cause) });
  }

  #recordLost({ frames }: TurnTracker): void {
    this.#lostPrompts ??= new LostPrompts(this.#options.store, this.#id);
    this.#lostPrompts.record(frames);
  }

  #turnEndOf(end: ClaudeTurnEnd): TurnEnd {
    return end.kind === "stopped"
      ? end
      : { kind: "failed", failure: turnFailure(end.failure, end.text, this.#resetsAt) };
  }

  #acknowledge(turn: TurnTracker): void {
    if (turn.isAcknowledged) return;
    turn.isAcknowledged = true;
    this.#host.onEvent({ type: "acknowledged" });
  }

  /** However the turn ended, none of its tool calls runs any more. */
  #endTurn(end: TurnEnd): void {
    this.#endHangWatch();
    this.#emit(this.#state.calls.closeAll("It did not run to its end."));
    this.#host.onEvent({ type: "turn_ended", end });
  }

  /** The agent has ended the turn itself. */
  #finishTurn(): void {
    this.#endHangWatch();
    this.#turn?.finish();
  }

  #closeCalls(why: string): void {
    this.#emit(foldEnd(this.#state, why));
  }

  #emit(updates: readonly SessionUpdate[]): void {
    if (updates.length > 0) this.#host.onEvent({ type: "updates", updates });
  }
}
