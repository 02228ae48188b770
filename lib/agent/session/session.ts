/**
 * One ACP session: runs prompts, sends updates to the client, and reacts to what the
 * engine's conversation reports.
 *
 * Prompts run one at a time, and each is answered exactly once. The session id stays
 * valid when the engine's process exits or hangs: the conversation goes on in another.
 * While the client does not read, the engine is paused. What an engine throws is reported
 * as a bug and ends nothing else. Knows no engine but by the interface of lib/engine.
 */
import type { AvailableCommand, ContentBlock, NoticeSeverity, PromptResponse, SessionUpdate } from "../../acp/index.ts";
import { update } from "../../acp/index.ts";
import { type ClientView, notice } from "../../display/index.ts";
import { type Conversation, type ConversationRequest, EngineFailure, type EngineEvent } from "../../engine/index.ts";
import { errorCodes, RpcError } from "../../rpc/index.ts";
import { rpcErrorOf } from "../errors.ts";
import type { AgentContext } from "../agent-context.ts";
import { SessionRewind } from "../rewind/session-rewind.ts";
import { clientView, conversationHost } from "./conversation-host.ts";
import { SessionSettings } from "../settings/session-settings.ts";
import { ContinueAtReset } from "../usage/continue-at-reset.ts";
import { AutoContinue } from "./auto-continue.ts";
import { runContinued } from "./continued-prompt.ts";
import { IdleTimer } from "./idle-timer.ts";
import { promptResponse, type StoppedTurn } from "../turn/prompt-response.ts";
import {
  findLocalCommand,
  type LocalCommand,
  offeredCommands,
  runLocalCommand,
  setupCommand,
  versionCommand,
} from "./local-commands.ts";
import { localTurn } from "../turn/local-turn.ts";
import { type Refine, Turn } from "../turn/turn.ts";
import { TurnQueue } from "../turn/turn-queue.ts";
import type { TurnAction } from "../turn/turn-state.ts";
import { SessionControls } from "./session-controls.ts";
import { UpdateCoalescer, sendUpdate } from "./update-coalescer.ts";

/**
 * How long the engine has to end a cancelled turn before it is abandoned. The Claude CLI, which is
 * then stopped, has up to 3 s more to exit: `#escalate` in lib/process/guarded-process.ts.
 */
export const cancelGraceMs = 3000;

/** What each event of the engine does. */
type Reactions = { readonly [T in EngineEvent["type"]]: (event: Extract<EngineEvent, { readonly type: T }>) => void };

export class Session {
  readonly settings: SessionSettings;
  readonly rewinding: SessionRewind;
  readonly controls: SessionControls;
  readonly #context: AgentContext;
  /** The id that the client gave; undefined for a new conversation, whose engine chooses it. */
  readonly givenId: string | undefined;
  readonly #conversation: Conversation;
  readonly #view: ClientView;
  readonly #coalescer: UpdateCoalescer;
  readonly #idleTimer: IdleTimer;
  readonly #autoContinue: AutoContinue;
  readonly #atReset: ContinueAtReset;
  readonly #turns = new TurnQueue();
  readonly #reactions: Reactions = {
    updates: ({ updates }) => this.#push(updates),
    acknowledged: () => this.#turns.current?.take({ kind: "acknowledged" }),
    turn_ended: ({ end }) => this.#turns.current?.take({ kind: "ended", end }),
    settings_changed: () => this.settings.takeOver(),
    commands_changed: ({ commands }) => this.#setCommands(commands),
  };
  /** The commands that the agent answers itself. */
  readonly #localCommands: readonly LocalCommand[];
  /** All commands that the client offers. */
  #commands: readonly AvailableCommand[] = [];
  #started: Promise<void> | undefined;
  #isAnnounced = false;
  /** How often the client has cancelled. */
  #cancels = 0;
  /** Aborts the commands that the agent answers, when the client cancels. */
  #localWork = new AbortController();
  #isClosed = false;

  constructor(context: AgentContext, request: ConversationRequest, givenId?: string) {
    this.#context = context;
    this.givenId = givenId;
    this.#autoContinue = new AutoContinue({
      isOn: context.settings.autoContinue !== undefined && context.settings.autoContinue !== false,
      isFresh: context.settings.autoContinue === "fresh",
      openTasks: () => context.openTasks(request.cwd),
    });
    this.rewinding = new SessionRewind({
      context,
      view: clientView(context, request.cwd),
      sessionId: () => this.id,
      conversation: () => this.#conversation,
      isTurnRunning: () => this.#turns.current !== undefined,
      runLocally: (work) => this.#runLocally(work),
      replay: (signal) => this.replay(signal),
      push: (one) => this.#coalescer.push(one),
      flush: () => this.#coalescer.flush(),
    });
    this.controls = new SessionControls({
      context,
      sessionId: () => this.id,
      conversation: () => this.#conversation,
      isClosed: () => this.#isClosed,
      push: (one) => this.#coalescer.push(one),
      flush: () => this.#coalescer.flush(),
    });
    this.#localCommands = [
      this.rewinding.command,
      ...this.controls.commands,
      this.#autoContinue.command(() => this.settings.publish()),
      versionCommand(context.engine.name),
      ...(context.describeSetup === undefined ? [] : [setupCommand(context.describeSetup)]),
    ];
    this.#atReset = new ContinueAtReset({
      isOn: context.settings.continueAtReset ?? false,
      after: context.after,
      now: context.now,
      push: (one) => this.#coalescer.push(one),
    });
    this.#coalescer = new UpdateCoalescer({ send: (one) => this.#send(one), after: context.after });
    this.#idleTimer = new IdleTimer(
      context.after,
      context.idleTimeoutMs,
      () =>
        this.#turns.current === undefined &&
        this.#attempt("release", () => this.#conversation.release("the session rests")) === true,
    );
    const host = conversationHost(context, request.cwd, {
      sessionId: () => this.id,
      isClosed: () => this.#isClosed,
      flush: () => this.#coalescer.flush(),
      onEvent: (event) => this.#onEvent(event),
      onPlanRejected: () => this.#autoContinue.stop(),
    });
    this.#view = host.view;
    this.#conversation = context.engine.open(request, host);
    this.settings = new SessionSettings(context, this.#conversation, {
      autoContinue: this.#autoContinue,
      continueAtReset: this.#atReset,
      sessionId: () => this.id,
      push: (one) => this.#coalescer.push(one),
    });
  }

  /** Known once `start` has resolved. */
  get id(): string {
    return this.givenId ?? this.#conversation.id;
  }

  /** The id under which the engine saves the conversation. It may change, for example with `/clear`. */
  get conversationId(): string {
    return this.#conversation.savedId;
  }

  /** True while a process of the engine runs or is being started for this session. */
  get isRunning(): boolean {
    return this.#conversation.isRunning;
  }

  /** See `Conversation.prefersEditorText`. */
  get prefersEditorText(): boolean {
    return this.#conversation.prefersEditorText;
  }

  /** See `Conversation.mayInlineFile`. */
  mayInlineFile(path: string, prompt: readonly ContentBlock[]): Promise<boolean> {
    return this.#conversation.mayInlineFile(path, prompt);
  }

  /** Starts the engine and reads what it offers. A second call returns the first promise. Rejects with an `RpcError`. */
  start(): Promise<void> {
    this.#started ??= this.#startConversation();
    return this.#started;
  }

  /** The client knows the session id: sends the updates held back so far, and every later one at once. */
  announce(): void {
    if (this.#isAnnounced) return;
    this.#isAnnounced = true;
    this.#coalescer.release();
    if (this.#commands.length > 0) this.#coalescer.push(update.availableCommands(this.#commands));
    if (!this.#isClosed) this.#idleTimer.start();
  }

  /** Sends the saved conversation. Resolves when the client has caught up. Rejects with an `RpcError`. */
  async replay(signal: AbortSignal): Promise<void> {
    this.#coalescer.release();
    await this.#conversation.replay(signal).catch((cause: unknown) => Promise.reject(rpcErrorOf(cause)));
    this.#coalescer.flush();
  }

  /** Adds a prompt to the running turn. A turn that is being cancelled counts as none. Throws an `RpcError`. */
  steer(content: readonly ContentBlock[]): "added" | "refused" | "no_turn" {
    const turn = this.#turns.current;
    if (turn === undefined || turn.state === "cancelling" || turn.isSettled) return "no_turn";
    const prompt = { id: crypto.randomUUID(), content };
    // A turn that has not been submitted is submitted with the prompts that were added to it.
    const isSubmitted = turn.state === "sent" || turn.state === "acknowledged";
    try {
      if (isSubmitted && !this.#conversation.steer(prompt)) return "refused";
    } catch (cause) {
      throw rpcErrorOf(cause);
    }
    turn.added.push(prompt);
    return "added";
  }

  /** Shows the user a message that belongs to no turn. */
  notify(severity: NoticeSeverity, title: string, description?: string): void {
    this.#push([notice(this.#view, severity, title, description)]);
  }

  /** Has the engine save a title for the conversation. Returns false when nothing runs that could. */
  rename(title: string): Promise<boolean> {
    return this.#conversation.rename(title).catch((cause: unknown) => Promise.reject(rpcErrorOf(cause)));
  }

  async prompt(content: readonly ContentBlock[], refine?: Refine): Promise<PromptResponse> {
    const [first] = content;
    const isCommand = first?.type === "text" && /^\s*\//.test(first.text);
    const local = isCommand ? findLocalCommand(this.#localCommands, content) : undefined;
    if (local !== undefined) {
      return runLocalCommand(local, {
        asTurn: (work) => this.#runLocally(work),
        besideTurns: (work) => this.#runBesideTurns(work),
        say: (text) => this.#coalescer.push(update.agentMessage(`${text}\n`)),
      });
    }
    const cancels = this.#cancels;
    const isCancelled = (): boolean => this.#isClosed || this.#cancels !== cancels;
    return runContinued(content, refine, {
      autoContinue: this.#autoContinue,
      atReset: this.#atReset,
      runTurn: (given, refined, preface) => this.#runTurn(given, refined, preface),
      setMode: async (mode) => {
        await this.settings.set("mode", mode);
        this.settings.publish();
      },
      push: (one) => this.#coalescer.push(one),
      isCancelled,
      isStopped: () => this.#turns.current !== undefined || isCancelled(),
    });
  }

  /** Runs a command outside the turn queue, without the engine. */
  async #runBesideTurns(work: (signal: AbortSignal) => Promise<void>): Promise<PromptResponse> {
    this.announce();
    await work(this.#localWork.signal);
    this.#coalescer.flush();
    return { stopReason: "end_turn" };
  }

  /** Runs work of the agent itself as a turn, so that no prompt runs meanwhile. */
  async #runLocally(work: (signal: AbortSignal) => Promise<void>): Promise<PromptResponse> {
    const prepare = (turn: Turn): void => void this.#prepare(turn);
    const turn = localTurn({ prepare, work, after: this.#context.after, graceMs: cancelGraceMs });
    return promptResponse(await this.#enqueue(turn));
  }

  #runTurn(content: readonly ContentBlock[], refine?: Refine, preface?: readonly string[]): Promise<StoppedTurn> {
    const run = (action: Exclude<TurnAction, "settle">, turn: Turn): void => this.#runAction(action, turn);
    return this.#enqueue(new Turn(crypto.randomUUID(), content, refine, run, preface));
  }

  async #enqueue(turn: Turn): Promise<StoppedTurn> {
    this.announce();
    this.#idleTimer.stop();
    this.#turns.push(turn);
    const end = await turn.ended;
    if (!this.#isClosed) this.#idleTimer.start();
    this.#coalescer.flush();
    if (end.kind !== "stopped") throw rpcErrorOf(end.failure);
    return end;
  }

  /** Cancels the running turn and the queued ones. Each prompt is answered with `cancelled`. */
  cancel(): void {
    this.#cancels++;
    this.#atReset.endWait?.("cancelled");
    this.#localWork.abort();
    this.#localWork = new AbortController();
    this.#turns.cancelWaiting();
    const turn = this.#turns.current;
    if (turn !== undefined) turn.take({ kind: "cancel" });
    // The engine may work without a prompt, for example on the result of a background task.
    else if (this.#conversation.isBusy) this.#attempt("interrupt", () => this.#conversation.interrupt());
  }

  /** Cancels every turn and stops the engine's process and what it started. Never rejects. */
  async close(reason: string): Promise<void> {
    if (this.#isClosed) return;
    this.#idleTimer.stop();
    this.cancel();
    const onFailed = (cause: unknown): void => this.#context.onBug("close", cause);
    const closing = this.#attempt("close", () => this.#conversation.close(reason))?.catch(onFailed);
    this.#coalescer.flush();
    this.#isClosed = true;
    this.#turns.current?.take({ kind: "give_up" });
    await closing;
  }

  async #startConversation(): Promise<void> {
    try {
      await this.#conversation.start();
    } catch (cause) {
      await this.close("the session could not be started");
      throw rpcErrorOf(cause);
    }
    if (this.#isClosed) throw new RpcError(errorCodes.internalError, "the session was closed while it started");
    this.settings.started();
  }

  #onEvent(event: EngineEvent): void {
    if (this.#isClosed) return;
    // The reaction was found by the type of the event, so it takes the event.
    (this.#reactions[event.type] as (event: EngineEvent) => void)(event);
  }

  /** Does what a transition of a turn asks for. */
  #runAction(action: Exclude<TurnAction, "settle">, turn: Turn): void {
    switch (action) {
      case "prepare":
        return void this.#prepare(turn);
      case "submit":
        return this.#submit(turn);
      case "interrupt":
        return this.#interrupt(turn);
      case "abandon":
        if (this.#isClosed) return;
        this.#attempt("abandon", () => this.#conversation.abandon("it did not stop when the turn was cancelled"));
    }
  }

  /** Never rejects. */
  async #prepare(turn: Turn): Promise<void> {
    try {
      await this.#conversation.ready(() => !turn.isSettled, turn.prompt.content);
      await turn.prepare();
    } catch (failure) {
      return turn.take({ kind: "not_ready", failure });
    }
    turn.take({ kind: "ready" });
  }

  #submit(turn: Turn): void {
    try {
      this.#conversation.submit(turn.prompt, turn.added);
    } catch (cause) {
      if (!(cause instanceof EngineFailure)) this.#context.onBug("submit", cause);
      const failure =
        cause instanceof EngineFailure
          ? cause
          : new EngineFailure("other", `${this.#context.engine.name} could not take the prompt`, { cause });
      // The engine may have the prompt, so it is not submitted again.
      turn.take({ kind: "ended", end: { kind: "failed", failure } });
    }
  }

  #interrupt(turn: Turn): void {
    const cancelTimer = this.#context.after(cancelGraceMs, () => turn.take({ kind: "give_up" }));
    void turn.ended.then(cancelTimer);
    this.#attempt("interrupt", () => this.#conversation.interrupt());
  }

  #setCommands(commands: readonly AvailableCommand[]): void {
    this.#commands = offeredCommands(commands, this.#localCommands);
    if (this.#isAnnounced) this.#coalescer.push(update.availableCommands(this.#commands));
  }

  #push(updates: readonly SessionUpdate[]): void {
    for (const one of updates) {
      if (this.#autoContinue.isOn) this.#autoContinue.note(one);
      this.#coalescer.push(one);
    }
  }

  #send(one: SessionUpdate): void {
    if (this.#isClosed) return;
    const isWritable = this.#attempt("session/update", () => sendUpdate(this.#context.client, this.id, one));
    if (isWritable !== false) return;
    // Backpressure: stop reading from the engine until the client has caught up.
    this.#attempt("pause", () => this.#conversation.pause());
    const resume = (): void => this.#attempt("resume", () => this.#conversation.resume());
    this.#context.client.whenWritable().then(resume, resume);
  }

  /** Runs a call whose failure must not keep the session from going on. Returns undefined when it throws. */
  #attempt<Result>(doing: string, run: () => Result): Result | undefined {
    try {
      return run();
    } catch (cause) {
      this.#context.onBug(doing, cause);
      return undefined;
    }
  }
}
