/**
 * Session: one conversation with Claude, as the editor knows it.
 *
 * Prompts run one after the other and each is answered exactly once. The session
 * id stays valid whatever happens to the CLI behind it: a lost one is started
 * again with the conversation it had.
 */
import type { PromptResponse, SessionUpdate } from "../../acp/index.ts";
import type { ClaudeExit, ConversationEvent, InitializeAnswer, PromptFrame } from "../../claude/index.ts";
import { fold, foldEnd, TranslationState } from "../../claude/translate/index.ts";
import { LostPrompt } from "../turn/lost-prompt.ts";
import { SessionSettings } from "../settings/session-settings.ts";
import type { ClaudeRun } from "../cli/claude-run.ts";
import { cliFailure, isSignedOut, isUnknownConversation, notSignedIn, turnFailure } from "../errors.ts";
import { EditorTools } from "../editor-tools/editor-tools.ts";
import { applyEvent, type EventTargets } from "./event-effects.ts";
import { ConversationId } from "./conversation-id.ts";
import { UpdateCoalescer, sendUpdate } from "./update-coalescer.ts";
import { Announcer } from "./announcements.ts";
import { IdleTimer } from "./idle-timer.ts";
import { ClaudeSupervisor } from "../cli/claude-supervisor.ts";
import { type SessionContext, type SessionParams, viewOf } from "./session-context.ts";
import { saveTitle } from "./session-title.ts";
import { type Refine, Turn } from "../turn/turn.ts";
import { TurnQueue } from "../turn/turn-queue.ts";
import { watchForHang } from "../turn/hang-detector.ts";

/** How long the CLI has to stop when a turn is cancelled. */
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
  readonly #eventTargets: EventTargets;
  readonly #supervisor: ClaudeSupervisor;
  readonly #lostPrompt: LostPrompt;
  readonly #turns = new TurnQueue((turn) => this.#run(turn));
  #resetsAt: number | undefined;
  #started: Promise<void> | undefined;
  #isAnnounced = false;
  #isPast = false;
  #isClosed = false;

  constructor(context: SessionContext, setup: SessionParams) {
    this.#conversation = new ConversationId(setup.target);
    this.id = this.#conversation.sessionId;
    this.#context = context;
    this.#lostPrompt = new LostPrompt(context.store, this.#conversation);
    const view = viewOf(context.view, () => this.#isPast);
    const tools = new EditorTools(this.id, { ...context, view }, setup, {
      settings: () => this.settings.current,
      control: () => this.#supervisor.current?.claude.control,
      callOf: (line) => this.#state.calls.ofCommandLine(line),
      onTerminal: (toolCallId, terminalId) => this.#push(this.#state.calls.embed(toolCallId, terminalId)),
    });
    this.#tools = tools;
    this.#state = new TranslationState(tools.view);
    this.#coalescer = new UpdateCoalescer({ send: (one) => this.#send(one), after: context.after });
    const tryRest = (): boolean => !this.#turns.current && this.#supervisor.releaseIfIdle("the session rests");
    this.#idleTimer = new IdleTimer(context.after, context.idleTimeoutMs, tryRest);
    const push = (one: SessionUpdate): void => this.#coalescer.push(one);
    this.#announcer = new Announcer(context.view, push);
    this.settings = new SessionSettings(setup.settings, {
      push,
      mayBypass: context.mayBypass,
      editor: () => tools.features,
      onModel: (currentModelId) => {
        if (context.isLegacy)
          context.client.sendForeign(this.id, { sessionUpdate: "current_model_update", currentModelId });
      },
    });
    this.#eventTargets = {
      conversation: this.#conversation,
      announcer: this.#announcer,
      settings: this.settings,
      onLimit: (resetsAt) => void (this.#resetsAt = resetsAt),
      onRefused: () => this.#failSignIn(),
    };
    this.#supervisor = new ClaudeSupervisor({
      session: context,
      setup,
      conversation: this.#conversation,
      settings: this.settings,
      tools,
      asking: {
        sessionId: this.id,
        view: this.#state.view,
        flush: () => this.#coalescer.flush(),
        onAllowed: (toolCallId) => this.#push(this.#state.calls.allowed(toolCallId)),
        onStopped: () => this.#turns.current?.endByUser(),
      },
      onEvent: (cli, event) => this.#onEvent(cli, event),
      onClosed: (exit) => this.#onClosed(exit),
    });
  }

  /** The conversation's name on disk; `/clear` begins another. */
  get conversationId(): string {
    return this.#conversation.conversationId;
  }

  /** Its CLI is there, or on its way. */
  get isRunning(): boolean {
    return this.#supervisor.current !== undefined;
  }

  /** Starts the CLI and learns what it offers, once. Fails with an error for the editor. */
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
    await this.#tools.learnObstacle();
    this.settings.setOffers(answer);
  }

  /** The editor knows the session; from now on it hears of it. */
  announce(): void {
    if (this.#isAnnounced) return;
    this.#isAnnounced = true;
    this.#coalescer.release();
    this.#announcer.announceCommands(this.settings.features.answer.commands);
    if (!this.#isClosed) this.#idleTimer.start();
  }

  /** Shows an event of the past. Waits while the editor lags. */
  async replay(event: ConversationEvent): Promise<void> {
    this.#isPast = true;
    this.#coalescer.release();
    this.#push(fold(this.#state, event));
    await this.#context.client.whenWritable();
  }

  /** The past is told; what it left open stays closed. */
  endReplay(remarks: readonly SessionUpdate[]): void {
    this.#isPast = false;
    this.#push([...foldEnd(this.#state, "It did not run to its end."), ...remarks]);
    this.#coalescer.flush();
  }

  /** Gives the running turn something more to think of. False: no turn runs, or it is being stopped. */
  steer(content: PromptFrame["message"]["content"]): boolean {
    const turn = this.#turns.current;
    const cli = this.#supervisor.current;
    if (cli === undefined || !turn?.isSent || turn.isSettled || turn.isCancelled) return false;
    cli.claude.prompt(turn.add(content));
    return true;
  }

  /** Names the conversation. False: no CLI runs that could keep the name. */
  rename(title: string): Promise<boolean> {
    return saveTitle(this.#supervisor.current?.claude.control, title);
  }

  async prompt(content: PromptFrame["message"]["content"], refine?: Refine): Promise<PromptResponse> {
    this.announce();
    this.#idleTimer.stop();
    const turn = new Turn(crypto.randomUUID(), content, refine);
    this.#turns.push(turn);
    const end = await turn.ended.finally(() => {
      // Whoever ended it: what it began is over.
      if (turn.isSent) this.#push(this.#state.calls.closeAll("It did not run to its end."));
      if (!this.#isClosed) this.#idleTimer.start();
    });
    this.#coalescer.flush();
    if (end.kind === "failed") throw turnFailure(end.failure, end.text, this.#resetsAt);
    return { stopReason: end.stopReason };
  }

  /** Stops the running turn and forgets those that wait; each is answered `cancelled`. */
  cancel(): void {
    this.#turns.cancelWaiting();
    const turn = this.#turns.current;
    const cli = this.#supervisor.current;
    // Work that nobody prompted is stopped too; a CLI at rest is left alone.
    if (turn === undefined && cli?.isBusy) return cli.interrupt();
    if (turn === undefined || turn.isCancelled || turn.isSettled) return;
    turn.isCancelled = true;
    // An interrupt that overtakes its prompt would stop nothing.
    if (cli === undefined || !turn.isSent) return turn.cancel();
    cli.interrupt();
    const cancelTimer = this.#context.after(cancelGraceMs, () => {
      if (turn.isSettled) return;
      this.#closeCalls("Cancelled.");
      turn.cancel();
      if (cli === this.#supervisor.current) this.#supervisor.discard("it did not stop when the turn was cancelled");
    });
    void turn.ended.then(cancelTimer, cancelTimer);
  }

  /** Changes one option, in the running CLI too, and keeps the conversation. */
  changeOption(id: string, value: string | boolean): Promise<void> {
    return this.settings.set(this.#supervisor.current?.claude.control, id, value);
  }

  /** Ends the session and everything it started. */
  async close(reason: string): Promise<void> {
    if (this.#isClosed) return;
    this.#idleTimer.stop();
    this.cancel();
    if (this.isRunning) this.#closeCalls("The session was closed.");
    this.#isClosed = true;
    this.#turns.current?.cancel();
    await this.#supervisor.close(reason);
  }

  /** Runs a turn to its end; never rejects, the turn itself carries the failure. */
  async #run(turn: Turn): Promise<void> {
    await this.#submit(turn);
    await turn.ended.catch(() => {});
  }

  async #submit(turn: Turn): Promise<void> {
    try {
      const forgotten = await this.#lostPrompt.takeForReplay();
      const cli = await this.#supervisor.ready(() => !turn.isSettled);
      if (cli === undefined) return;
      await Promise.all([cli.initialized, turn.prepare()]);
      if (turn.isSettled) return;
      if (forgotten !== undefined) cli.claude.prompt(forgotten);
      this.#lostPrompt.replayed();
      turn.isSent = true;
      cli.claude.prompt(turn.frame);
      const { after } = this.#context;
      watchForHang({
        turn,
        claude: cli.claude,
        after,
        onHung: (cause) => this.#replace(turn, "does not answer", cause),
      });
    } catch (cause) {
      if (isUnknownConversation(cause)) this.#conversation.markUnsaved();
      // One that did not start as it should would fail every prompt that follows.
      this.#supervisor.discard("it did not start as it should");
      turn.fail(cliFailure(cause));
    }
  }

  #onEvent(cli: ClaudeRun, event: ConversationEvent): void {
    applyEvent(event, this.#eventTargets);
    this.#push(fold(this.#state, event));
    const turn = this.#turns.current;
    turn?.take(event, cli.reportsIdle);
    if (turn?.isUnanswered === true) this.#replace(turn, "ended its turn without a result");
  }

  #push(updates: readonly SessionUpdate[]): void {
    for (const one of updates) this.#coalescer.push(one);
  }

  /** Credentials that were refused once will be refused again; minutes of retries help nobody. */
  #failSignIn(): void {
    this.#turns.current?.settle({ kind: "failed", failure: "sign-in", text: "the API refused the credentials" });
    this.#supervisor.current?.interrupt();
  }

  #onClosed(exit: ClaudeExit): void {
    const turn = this.#turns.current;
    this.#closeCalls("The Claude CLI ended.");
    if (turn !== undefined) this.#resubmit(turn, exit);
  }

  /** Gives up a CLI that is broken; the next prompt starts another. */
  #replace(turn: Turn, what: string, cause?: unknown): void {
    this.#closeCalls(`The Claude CLI ${what}.`);
    this.#supervisor.discard(`it ${what}`);
    this.#resubmit(turn, cause);
  }

  /** A prompt that no CLI has taken may be given to another. */
  #resubmit(turn: Turn, cause: unknown): void {
    if (turn.tryRetry()) return void this.#submit(turn);
    if (turn.isSent && !turn.isCancelled) this.#lostPrompt.record(turn);
    turn.fail(cliFailure(cause));
  }

  #closeCalls(why: string): void {
    this.#push(foldEnd(this.#state, why));
    this.#coalescer.flush();
  }

  #send(one: SessionUpdate): void {
    if (this.#isClosed || sendUpdate(this.#context.client, this.id, one)) return;
    // The editor lags: the CLI waits until it has caught up.
    const claude = this.#supervisor.current?.claude;
    claude?.pause();
    const resume = (): void => claude?.resume();
    this.#context.client.whenWritable().then(resume, resume);
  }
}
