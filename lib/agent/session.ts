/**
 * Session: one conversation with Claude, as the editor knows it.
 *
 * Prompts run one after the other and each is answered exactly once. The session
 * id stays valid whatever happens to the CLI behind it: a lost one is started
 * again with the conversation it had.
 */
import type { PromptResponse, SessionUpdate } from "../acp/index.ts";
import type { ClaudeExit, ConversationEvent, InitializeAnswer, PromptFrame } from "../claude/index.ts";
import { fold, foldEnd, Thread } from "../translate/index.ts";
import { Breakage } from "./breakage.ts";
import { Choices } from "./choices.ts";
import type { Cli } from "./cli.ts";
import { cliFailure, isSignedOut, isUnknownConversation, notSignedIn, turnFailure } from "./failures.ts";
import { EditorTools } from "./editor-tools.ts";
import { heed, type Heeding } from "./heed.ts";
import { Identity } from "./identity.ts";
import { Outgoing, sendUpdate } from "./outgoing.ts";
import { Remarks } from "./remarks.ts";
import { Rest } from "./rest.ts";
import { Runs } from "./runs.ts";
import { type SessionEnds, type SessionSetup, viewOf } from "./session-setup.ts";
import { keepTitle } from "./title.ts";
import { type Refine, Turn } from "./turn.ts";
import { TurnQueue } from "./turn-queue.ts";
import { keepVigil } from "./vigil.ts";

/** How long the CLI has to stop when a turn is cancelled. */
export const cancelGraceMs = 3000;

export class Session {
  readonly id: string;
  readonly choices: Choices;
  readonly #ends: SessionEnds;
  readonly #identity: Identity;
  readonly #tools: EditorTools;
  readonly #thread: Thread;
  readonly #outgoing: Outgoing;
  readonly #remarks: Remarks;
  readonly #rest: Rest;
  readonly #heeding: Heeding;
  readonly #runs: Runs;
  readonly #breakage: Breakage;
  readonly #turns = new TurnQueue((turn) => this.#run(turn));
  #resetsAt: number | undefined;
  #started: Promise<void> | undefined;
  #isAnnounced = false;
  #isPast = false;
  #isClosed = false;

  constructor(ends: SessionEnds, setup: SessionSetup) {
    this.#identity = new Identity(setup.choice);
    this.id = this.#identity.sessionId;
    this.#ends = ends;
    this.#breakage = new Breakage(ends.saved, this.#identity);
    const view = viewOf(ends.view, () => this.#isPast);
    const tools = new EditorTools(this.id, { ...ends, view }, setup, {
      settings: () => this.choices.settings,
      control: () => this.#runs.current?.engine.control,
      callOf: (line) => this.#thread.calls.ofCommandLine(line),
      onTerminal: (toolCallId, terminalId) => this.#push(this.#thread.calls.embed(toolCallId, terminalId)),
    });
    this.#tools = tools;
    this.#thread = new Thread(tools.view);
    this.#outgoing = new Outgoing({ send: (one) => this.#send(one), after: ends.after });
    const tryRest = (): boolean => !this.#turns.current && this.#runs.giveBack("the session rests");
    this.#rest = new Rest(ends.after, ends.restMs, tryRest);
    const push = (one: SessionUpdate): void => this.#outgoing.push(one);
    this.#remarks = new Remarks(ends.view, push);
    this.choices = new Choices(setup.settings, {
      push,
      mayBypass: ends.mayBypass,
      editor: () => tools.offers,
      onModel: (currentModelId) => {
        if (ends.isLegacy) ends.client.sendForeign(this.id, { sessionUpdate: "current_model_update", currentModelId });
      },
    });
    this.#heeding = {
      identity: this.#identity,
      remarks: this.#remarks,
      choices: this.choices,
      onLimit: (resetsAt) => void (this.#resetsAt = resetsAt),
      onRefused: () => this.#giveUpSignIn(),
    };
    this.#runs = new Runs({
      session: ends,
      setup,
      identity: this.#identity,
      choices: this.choices,
      tools,
      asking: {
        sessionId: this.id,
        view: this.#thread.view,
        flush: () => this.#outgoing.flush(),
        onAllowed: (toolCallId) => this.#push(this.#thread.calls.allowed(toolCallId)),
        onStopped: () => this.#turns.current?.stopsByChoice(),
      },
      onEvent: (cli, event) => this.#onEvent(cli, event),
      onClosed: (exit) => this.#onClosed(exit),
    });
  }

  /** The conversation's name on disk; `/clear` begins another. */
  get conversationId(): string {
    return this.#identity.conversationId;
  }

  /** Its CLI is there, or on its way. */
  get isRunning(): boolean {
    return this.#runs.current !== undefined;
  }

  /** Starts the CLI and learns what it offers, once. Fails with an error for the editor. */
  start(): Promise<void> {
    return (this.#started ??= this.#start());
  }

  async #start(): Promise<void> {
    let answer: InitializeAnswer;
    try {
      answer = await this.#runs.launch().offers;
    } catch (cause) {
      await this.close("the session could not be started");
      throw cliFailure(cause);
    }
    if (isSignedOut(answer)) {
      await this.close("not signed in");
      throw notSignedIn();
    }
    await this.#tools.learnObstacle();
    this.choices.learn(answer);
  }

  /** The editor knows the session; from now on it hears of it. */
  announce(): void {
    if (this.#isAnnounced) return;
    this.#isAnnounced = true;
    this.#outgoing.release();
    this.#remarks.commands(this.choices.offers.answer.commands);
    if (!this.#isClosed) this.#rest.begin();
  }

  /** Shows an event of the past. Waits while the editor lags. */
  async retell(event: ConversationEvent): Promise<void> {
    this.#isPast = true;
    this.#outgoing.release();
    this.#push(fold(this.#thread, event));
    await this.#ends.client.whenWritable();
  }

  /** The past is told; what it left open stays closed. */
  retold(remarks: readonly SessionUpdate[]): void {
    this.#isPast = false;
    this.#push([...foldEnd(this.#thread, "It did not run to its end."), ...remarks]);
    this.#outgoing.flush();
  }

  /** Gives the running turn something more to think of. False: no turn runs, or it is being stopped. */
  steer(content: PromptFrame["message"]["content"]): boolean {
    const turn = this.#turns.current;
    const cli = this.#runs.current;
    if (cli === undefined || !turn?.isSent || turn.isSettled || turn.isCancelled) return false;
    cli.engine.prompt(turn.add(content));
    return true;
  }

  /** Names the conversation. False: no CLI runs that could keep the name. */
  rename(title: string): Promise<boolean> {
    return keepTitle(this.#runs.current?.engine.control, title);
  }

  async prompt(content: PromptFrame["message"]["content"], refine?: Refine): Promise<PromptResponse> {
    this.announce();
    this.#rest.end();
    const turn = new Turn(crypto.randomUUID(), content, refine);
    this.#turns.push(turn);
    const end = await turn.ended.finally(() => {
      // Whoever ended it: what it began is over.
      if (turn.isSent) this.#push(this.#thread.calls.closeAll("It did not run to its end."));
      if (!this.#isClosed) this.#rest.begin();
    });
    this.#outgoing.flush();
    if (end.kind === "failed") throw turnFailure(end.failure, end.text, this.#resetsAt);
    return { stopReason: end.stopReason };
  }

  /** Stops the running turn and forgets those that wait; each is answered `cancelled`. */
  cancel(): void {
    this.#turns.cancelWaiting();
    const turn = this.#turns.current;
    const cli = this.#runs.current;
    // Work that nobody prompted is stopped too; a CLI at rest is left alone.
    if (turn === undefined && cli?.isBusy) return cli.interrupt();
    if (turn === undefined || turn.isCancelled || turn.isSettled) return;
    turn.isCancelled = true;
    // An interrupt that overtakes its prompt would stop nothing.
    if (cli === undefined || !turn.isSent) return turn.cancel();
    cli.interrupt();
    const callOff = this.#ends.after(cancelGraceMs, () => {
      if (turn.isSettled) return;
      this.#closeCalls("Cancelled.");
      turn.cancel();
      if (cli === this.#runs.current) this.#runs.giveUp("it did not stop when the turn was cancelled");
    });
    void turn.ended.then(callOff, callOff);
  }

  /** Changes one option, in the running CLI too, and keeps the conversation. */
  changeOption(id: string, value: string | boolean): Promise<void> {
    return this.choices.change(this.#runs.current?.engine.control, id, value);
  }

  /** Ends the session and everything it started. */
  async close(reason: string): Promise<void> {
    if (this.#isClosed) return;
    this.#rest.end();
    this.cancel();
    if (this.isRunning) this.#closeCalls("The session was closed.");
    this.#isClosed = true;
    this.#turns.current?.cancel();
    await this.#runs.close(reason);
  }

  /** Runs a turn to its end; never rejects, the turn itself carries the failure. */
  async #run(turn: Turn): Promise<void> {
    await this.#submit(turn);
    await turn.ended.catch(() => {});
  }

  async #submit(turn: Turn): Promise<void> {
    try {
      const forgotten = await this.#breakage.mend();
      const cli = await this.#runs.ready(() => !turn.isSettled);
      if (cli === undefined) return;
      await Promise.all([cli.offers, turn.prepare()]);
      if (turn.isSettled) return;
      if (forgotten !== undefined) cli.engine.prompt(forgotten);
      this.#breakage.mended();
      turn.isSent = true;
      cli.engine.prompt(turn.frame);
      const { after } = this.#ends;
      keepVigil({ turn, engine: cli.engine, after, onHung: (cause) => this.#replace(turn, "does not answer", cause) });
    } catch (cause) {
      if (isUnknownConversation(cause)) this.#identity.forget();
      // One that did not start as it should would fail every prompt that follows.
      this.#runs.giveUp("it did not start as it should");
      turn.lose(cliFailure(cause));
    }
  }

  #onEvent(cli: Cli, event: ConversationEvent): void {
    heed(event, this.#heeding);
    this.#push(fold(this.#thread, event));
    const turn = this.#turns.current;
    turn?.take(event, cli.tellsState);
    if (turn?.isUnanswered === true) this.#replace(turn, "ended its turn without a result");
  }

  #push(updates: readonly SessionUpdate[]): void {
    for (const one of updates) this.#outgoing.push(one);
  }

  /** Credentials that were refused once will be refused again; minutes of retries help nobody. */
  #giveUpSignIn(): void {
    this.#turns.current?.settle({ kind: "failed", failure: "sign-in", text: "the API refused the credentials" });
    this.#runs.current?.interrupt();
  }

  #onClosed(exit: ClaudeExit): void {
    const turn = this.#turns.current;
    this.#closeCalls("The Claude CLI ended.");
    if (turn !== undefined) this.#giveAgain(turn, exit);
  }

  /** Gives up a CLI that is broken; the next prompt starts another. */
  #replace(turn: Turn, what: string, cause?: unknown): void {
    this.#closeCalls(`The Claude CLI ${what}.`);
    this.#runs.giveUp(`it ${what}`);
    this.#giveAgain(turn, cause);
  }

  /** A prompt that no CLI has taken may be given to another. */
  #giveAgain(turn: Turn, cause: unknown): void {
    if (turn.takeBack()) return void this.#submit(turn);
    if (turn.isSent && !turn.isCancelled) this.#breakage.note(turn);
    turn.lose(cliFailure(cause));
  }

  #closeCalls(why: string): void {
    this.#push(foldEnd(this.#thread, why));
    this.#outgoing.flush();
  }

  #send(one: SessionUpdate): void {
    if (this.#isClosed || sendUpdate(this.#ends.client, this.id, one)) return;
    // The editor lags: the CLI waits until it has caught up.
    const engine = this.#runs.current?.engine;
    engine?.pause();
    const resume = (): void => engine?.resume();
    this.#ends.client.whenWritable().then(resume, resume);
  }
}
