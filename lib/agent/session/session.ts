/**
 * One ACP session: runs prompts, sends updates to the client, and applies the events
 * of the Claude CLI.
 *
 * Prompts run one at a time, and each is answered exactly once. The session id stays
 * valid when the CLI exits or hangs: the next CLI resumes the conversation. Starting
 * and stopping the CLI is `ClaudeSupervisor`'s job, translating its events `fold`'s.
 * While the client does not read, the CLI's output is paused.
 */
import type { PromptResponse, SessionUpdate } from "../../acp/index.ts";
import { ClaudeExit, type ConversationEvent, type InitializeAnswer, type PromptFrame } from "../../claude/index.ts";
import { fold, foldEnd, TranslationState } from "../../claude/translate/index.ts";
import { type ClientView } from "../../display/index.ts";
import { LostPrompt } from "../turn/lost-prompt.ts";
import { SessionSettings } from "../settings/session-settings.ts";
import type { ClaudeRun } from "../cli/claude-run.ts";
import { cliFailure, isSignedOut, isUnknownConversation, notSignedIn, turnFailure } from "../errors.ts";
import { EditorTools } from "../editor-tools/editor-tools.ts";
import { ConversationId } from "./conversation-id.ts";
import { UpdateCoalescer, sendUpdate } from "./update-coalescer.ts";
import { Announcer } from "./announcements.ts";
import { IdleTimer } from "./idle-timer.ts";
import { ClaudeSupervisor } from "../cli/claude-supervisor.ts";
import type { SessionContext, SessionParams } from "./session-context.ts";
import { type Refine, Turn } from "../turn/turn.ts";
import { TurnQueue } from "../turn/turn-queue.ts";
import { watchForHang } from "../turn/hang-detector.ts";

/** How long the CLI has to end a cancelled turn before it is stopped. */
export const cancelGraceMs = 3000;

export class Session {
  readonly id: string;
  readonly settings: SessionSettings;
  readonly #context: SessionContext;
  readonly #conversation: ConversationId;
  readonly #tools: EditorTools;
  readonly #state: TranslationState;
  readonly #coalescer: UpdateCoalescer;
  readonly #announcer: Announcer;
  readonly #idleTimer: IdleTimer;
  readonly #supervisor: ClaudeSupervisor;
  readonly #lostPrompt: LostPrompt;
  readonly #turns = new TurnQueue((turn) => this.#run(turn));
  /** When the account's usage limit ends, in seconds since the epoch, as the CLI last reported it. */
  #resetsAt: number | undefined;
  #started: Promise<void> | undefined;
  #isAnnounced = false;
  #isReplaying = false;
  #isClosed = false;

  // Some closures below refer to fields that are assigned further down. None of them is
  // called before the constructor has returned.
  constructor(context: SessionContext, params: SessionParams) {
    this.#conversation = new ConversationId(params.target);
    this.id = this.#conversation.sessionId;
    this.#context = context;
    this.#lostPrompt = new LostPrompt(context.store, this.#conversation);
    const view: ClientView = {
      ...context.view,
      // During a replay the files of today say nothing about the text that an old edit replaced.
      textOf: (path) => (this.#isReplaying ? undefined : context.view.textOf(path)),
    };
    const tools = new EditorTools(this.id, { ...context, view }, params, {
      settings: () => this.settings.current,
      control: () => this.#supervisor.current?.claude.control,
      callOf: (line) => this.#state.calls.ofCommandLine(line),
      onTerminal: (toolCallId, terminalId) => this.#push(this.#state.calls.embed(toolCallId, terminalId)),
    });
    this.#tools = tools;
    this.#state = new TranslationState(tools.view);
    this.#coalescer = new UpdateCoalescer({ send: (update) => this.#send(update), after: context.after });
    const releaseIfIdle = (): boolean => !this.#turns.current && this.#supervisor.releaseIfIdle("the session rests");
    this.#idleTimer = new IdleTimer(context.after, context.idleTimeoutMs, releaseIfIdle);
    const push = (update: SessionUpdate): void => this.#coalescer.push(update);
    this.#announcer = new Announcer(context.view, push);
    this.settings = new SessionSettings(params.settings, {
      push,
      mayBypass: context.mayBypass,
      editor: () => tools.features,
      onModel: (currentModelId) => {
        if (context.isLegacy)
          context.client.sendForeign(this.id, { sessionUpdate: "current_model_update", currentModelId });
      },
    });
    this.#supervisor = new ClaudeSupervisor({
      context,
      params,
      conversation: this.#conversation,
      settings: this.settings,
      tools,
      askContext: {
        sessionId: this.id,
        view: this.#state.view,
        flush: () => this.#coalescer.flush(),
        onAllowed: (toolCallId) => this.#push(this.#state.calls.allowed(toolCallId)),
        onStopped: () => this.#turns.current?.endByUser(),
      },
      onEvent: (run, event) => this.#onEvent(run, event),
      onClosed: (exit) => this.#onClosed(exit),
    });
  }

  /** The CLI's id of the conversation on disk. It changes with `/clear`. */
  get conversationId(): string {
    return this.#conversation.conversationId;
  }

  /** True while a CLI runs or is being started. */
  get isRunning(): boolean {
    return this.#supervisor.current !== undefined;
  }

  /** Starts the CLI and reads what it offers. A second call returns the first promise. Rejects with an `RpcError`. */
  start(): Promise<void> {
    return (this.#started ??= this.#start());
  }

  async #start(): Promise<void> {
    let answer: InitializeAnswer;
    try {
      answer = await this.#supervisor.launch().initialized;
    } catch (cause) {
      await this.close("the session could not be started");
      throw cliFailure(cause);
    }
    if (isSignedOut(answer)) {
      await this.close("not signed in");
      throw notSignedIn();
    }
    await this.#tools.updateObstacles();
    this.settings.setOffers(answer);
  }

  /** The client knows the session id: sends the updates held back so far, and every later one at once. */
  announce(): void {
    if (this.#isAnnounced) return;
    this.#isAnnounced = true;
    this.#coalescer.release();
    this.#announcer.announceCommands(this.settings.features.answer.commands);
    if (!this.#isClosed) this.#idleTimer.start();
  }

  /** Sends an event of a saved conversation. Resolves when the client has caught up. */
  async replay(event: ConversationEvent): Promise<void> {
    this.#isReplaying = true;
    this.#coalescer.release();
    this.#push(fold(this.#state, event));
    await this.#context.client.whenWritable();
  }

  /** Ends the replay: tool calls left open are shown as failed, then `notices` are sent. */
  endReplay(notices: readonly SessionUpdate[]): void {
    this.#isReplaying = false;
    this.#push([...foldEnd(this.#state, "It did not run to its end."), ...notices]);
    this.#coalescer.flush();
  }

  /** Adds a prompt to the running turn. Returns false when no turn runs or the turn is being cancelled. */
  steer(content: PromptFrame["message"]["content"]): boolean {
    const turn = this.#turns.current;
    const run = this.#supervisor.current;
    if (run === undefined || !turn?.isSent || turn.isSettled || turn.isCancelled) return false;
    run.claude.prompt(turn.add(content));
    return true;
  }

  /** Has the CLI save a title for the conversation. Returns false when no CLI runs, or when it has just exited. */
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

  async prompt(content: PromptFrame["message"]["content"], refine?: Refine): Promise<PromptResponse> {
    this.announce();
    this.#idleTimer.stop();
    const turn = new Turn(crypto.randomUUID(), content, refine);
    this.#turns.push(turn);
    const end = await turn.ended.finally(() => {
      // However the turn ended, none of its tool calls runs any more.
      if (turn.isSent) this.#push(this.#state.calls.closeAll("It did not run to its end."));
      if (!this.#isClosed) this.#idleTimer.start();
    });
    this.#coalescer.flush();
    if (end.kind === "failed") throw turnFailure(end.failure, end.text, this.#resetsAt);
    return { stopReason: end.stopReason };
  }

  /** Cancels the running turn and the queued ones. Each prompt is answered with `cancelled`. */
  cancel(): void {
    this.#turns.cancelWaiting();
    const turn = this.#turns.current;
    const run = this.#supervisor.current;
    // The CLI may work without a prompt, for example on the result of a background task.
    if (turn === undefined && run?.isBusy) return run.interrupt();
    if (turn === undefined || turn.isCancelled || turn.isSettled) return;
    turn.isCancelled = true;
    // An interrupt sent before the prompt would stop nothing.
    if (run === undefined || !turn.isSent) return turn.cancel();
    run.interrupt();
    const cancelTimer = this.#context.after(cancelGraceMs, () => {
      if (turn.isSettled) return;
      this.#closeCalls("Cancelled.");
      turn.cancel();
      if (run === this.#supervisor.current) this.#supervisor.discard("it did not stop when the turn was cancelled");
    });
    void turn.ended.then(cancelTimer, cancelTimer);
  }

  /** Changes one config option, in the running CLI too. */
  changeOption(id: string, value: string | boolean): Promise<void> {
    return this.settings.set(this.#supervisor.current?.claude.control, id, value);
  }

  /** Cancels every turn and stops the CLI and what it started. */
  async close(reason: string): Promise<void> {
    if (this.#isClosed) return;
    this.#idleTimer.stop();
    this.cancel();
    if (this.isRunning) this.#closeCalls("The session was closed.");
    this.#isClosed = true;
    this.#turns.current?.cancel();
    await this.#supervisor.close(reason);
  }

  /** Resolves when the turn has ended. Never rejects: a failure rejects `turn.ended`. */
  async #run(turn: Turn): Promise<void> {
    await this.#submit(turn);
    await turn.ended.catch(() => {});
  }

  /** Sends the prompt of a turn to the CLI, starting a CLI if none runs. */
  async #submit(turn: Turn): Promise<void> {
    try {
      const lostPrompt = await this.#lostPrompt.takeForReplay();
      const run = await this.#supervisor.ready(() => !turn.isSettled);
      if (run === undefined) return;
      await Promise.all([run.initialized, turn.prepare()]);
      if (turn.isSettled) return;
      if (lostPrompt !== undefined) run.claude.prompt(lostPrompt);
      this.#lostPrompt.replayed();
      turn.isSent = true;
      run.claude.prompt(turn.frame);
      watchForHang({
        turn,
        claude: run.claude,
        after: this.#context.after,
        onHung: (cause) => this.#replace(turn, "does not answer", cause),
      });
    } catch (cause) {
      if (isUnknownConversation(cause)) this.#conversation.markUnsaved();
      // A CLI whose start failed would fail every later prompt.
      this.#supervisor.discard("it did not start as it should");
      turn.fail(cliFailure(cause));
    }
  }

  /** What one event of the CLI does: to the session's state, to the client, to the running turn. */
  #onEvent(run: ClaudeRun, event: ConversationEvent): void {
    this.#updateState(event);
    this.#push(fold(this.#state, event));
    const turn = this.#turns.current;
    turn?.onEvent(event, run.reportsIdle);
    if (turn?.isUnanswered === true) this.#replace(turn, "ended its turn without a result");
  }

  /** Takes over what an event says about the conversation id, the commands, the settings and the account. */
  #updateState(event: ConversationEvent): void {
    if (event.type === "rate_limit_event" && event.rate_limit_info.resetsAt !== undefined) {
      this.#resetsAt = event.rate_limit_info.resetsAt;
    }
    if (event.type !== "system") return;
    if (event.subtype === "init") {
      this.#conversation.update(event);
      this.#announcer.announceCommands(undefined, event.terminal_slash_commands);
      this.#announcer.announceServers(event.mcp_servers ?? []);
      this.settings.syncModel(event.model);
      this.settings.syncMode(event.permissionMode);
    } else if (event.subtype === "status") {
      this.settings.syncMode(event.permissionMode);
    } else if (event.subtype === "commands_changed") {
      this.#announcer.announceCommands(event.commands);
    } else if (event.subtype === "api_retry" && event.error === "authentication_failed") {
      this.#failSignIn();
    }
  }

  #push(updates: readonly SessionUpdate[]): void {
    for (const update of updates) this.#coalescer.push(update);
  }

  /** Ends the turn at the first refusal: the CLI would retry refused credentials for minutes. */
  #failSignIn(): void {
    this.#turns.current?.settle({ kind: "failed", failure: "sign-in", text: "the API refused the credentials" });
    this.#supervisor.current?.interrupt();
  }

  #onClosed(exit: ClaudeExit): void {
    const turn = this.#turns.current;
    this.#closeCalls("The Claude CLI ended.");
    if (turn !== undefined) this.#resubmit(turn, exit);
  }

  /** Discards a broken CLI, and submits the turn to a new CLI or fails it. */
  #replace(turn: Turn, what: string, cause?: unknown): void {
    this.#closeCalls(`The Claude CLI ${what}.`);
    this.#supervisor.discard(`it ${what}`);
    this.#resubmit(turn, cause);
  }

  /** Submits a turn to a new CLI if the lost one had not acknowledged it; otherwise the turn fails. */
  #resubmit(turn: Turn, cause: unknown): void {
    if (turn.tryRetry()) return void this.#submit(turn);
    if (turn.isSent && !turn.isCancelled) this.#lostPrompt.record(turn);
    turn.fail(cliFailure(cause));
  }

  #closeCalls(why: string): void {
    this.#push(foldEnd(this.#state, why));
    this.#coalescer.flush();
  }

  #send(update: SessionUpdate): void {
    if (this.#isClosed || sendUpdate(this.#context.client, this.id, update)) return;
    // Backpressure: stop reading from the CLI until the client has caught up.
    const claude = this.#supervisor.current?.claude;
    claude?.pause();
    const resume = (): void => claude?.resume();
    this.#context.client.whenWritable().then(resume, resume);
  }
}
