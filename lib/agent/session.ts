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
import { Choices } from "./choices.ts";
import { Cli } from "./cli.ts";
import { cliFailure, isSignedOut, isUnknownConversation, notSignedIn, turnFailure } from "./failures.ts";
import { EditorTools } from "./editor-tools.ts";
import { heed, type Heeding } from "./heed.ts";
import { hostHandlers } from "./host.ts";
import { Identity } from "./identity.ts";
import { Outgoing } from "./outgoing.ts";
import { Remarks } from "./remarks.ts";
import { Rest } from "./rest.ts";
import { type SessionEnds, type SessionSetup, viewOf } from "./session-setup.ts";
import { type Refine, Turn } from "./turn.ts";
import { TurnQueue } from "./turn-queue.ts";

/** How long the CLI has to stop when a turn is cancelled. */
export const cancelGraceMs = 3000;

export class Session {
  readonly id: string;
  readonly choices: Choices;
  readonly #ends: SessionEnds;
  readonly #setup: SessionSetup;
  readonly #identity: Identity;
  readonly #thread: Thread;
  readonly #outgoing: Outgoing;
  readonly #remarks: Remarks;
  readonly #rest: Rest;
  readonly #heeding: Heeding;
  readonly #tools: EditorTools;
  readonly #turns = new TurnQueue((turn) => this.#run(turn));
  #cli: Cli | undefined;
  #resetsAt: number | undefined;
  #started: Promise<void> | undefined;
  /** A CLI that was given up; no other may write to its file before it is gone. */
  #leaving: Promise<unknown> | undefined;
  #isAnnounced = false;
  #isPast = false;
  #isClosed = false;

  constructor(ends: SessionEnds, setup: SessionSetup) {
    this.#identity = new Identity(setup.choice);
    this.id = this.#identity.sessionId;
    this.#ends = ends;
    this.#setup = setup;
    const view = viewOf(ends.view, () => this.#isPast);
    this.#tools = new EditorTools(this.id, { ...ends, view }, setup, {
      settings: () => this.choices.settings,
      control: () => this.#cli?.engine.control,
      onTerminal: (toolCallId, terminalId) => this.#push(this.#thread.calls.embed(toolCallId, terminalId)),
    });
    this.#thread = new Thread(this.#tools.view);
    this.#outgoing = new Outgoing({ send: (one) => this.#send(one), after: ends.after });
    this.#rest = new Rest(ends.after, ends.restMs, () => !this.#turns.current && this.#giveBack("the session rests"));
    const push = (one: SessionUpdate): void => this.#outgoing.push(one);
    this.#remarks = new Remarks(ends.view, push);
    this.choices = new Choices(setup.settings, {
      push,
      mayBypass: ends.mayBypass,
      editor: this.#tools.offers,
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
  }

  /** The conversation's name on disk; `/clear` begins another. */
  get conversationId(): string {
    return this.#identity.conversationId;
  }

  /** Its CLI is there, or on its way. */
  get isRunning(): boolean {
    return this.#cli !== undefined;
  }

  /** Starts the CLI and learns what it offers, once. Fails with an error for the editor. */
  start(): Promise<void> {
    return (this.#started ??= this.#start());
  }

  async #start(): Promise<void> {
    let answer: InitializeAnswer;
    try {
      answer = await this.#launch().offers;
    } catch (cause) {
      await this.close("the session could not be started");
      throw cliFailure(cause);
    }
    if (isSignedOut(answer)) {
      await this.close("not signed in");
      throw notSignedIn();
    }
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
    if (this.#cli === undefined || !turn?.isSent || turn.isSettled || turn.isCancelled) return false;
    this.#cli.engine.prompt(turn.add(content));
    return true;
  }

  /** Names the conversation. False: no CLI runs that could keep the name. */
  async rename(title: string): Promise<boolean> {
    await this.#cli?.engine.control.request("rename_session", { title, source: "host" });
    return this.#cli !== undefined;
  }

  async prompt(content: PromptFrame["message"]["content"], refine?: Refine): Promise<PromptResponse> {
    this.announce();
    this.#rest.end();
    const turn = new Turn(crypto.randomUUID(), content, refine);
    this.#turns.push(turn);
    const end = await turn.ended.finally(() => this.#isClosed || this.#rest.begin());
    this.#outgoing.flush();
    if (end.kind === "failed") throw turnFailure(end.failure, end.text, this.#resetsAt);
    return { stopReason: end.stopReason };
  }

  /** Stops the running turn and forgets those that wait; each is answered `cancelled`. */
  cancel(): void {
    this.#turns.cancelWaiting();
    const turn = this.#turns.current;
    const cli = this.#cli;
    // Work that nobody prompted is stopped too; a CLI at rest is left alone.
    if (turn === undefined && cli?.isBusy) return cli.interrupt();
    if (turn === undefined || turn.isCancelled || turn.isSettled) return;
    turn.isCancelled = true;
    // An interrupt that overtakes its prompt would stop nothing.
    if (cli === undefined || !turn.isSent) return turn.cancel();
    cli.interrupt();
    const callOff = this.#ends.after(cancelGraceMs, () => {
      if (turn.isSettled) return;
      this.#lost(cli, "Cancelled.");
      turn.cancel();
      this.#leaving = cli.engine.stop("it did not stop when the turn was cancelled");
    });
    void turn.ended.then(callOff, callOff);
  }

  /** Changes one option, in the running CLI too, and keeps the conversation. */
  changeOption(id: string, value: string | boolean): Promise<void> {
    return this.choices.change(this.#cli?.engine.control, id, value);
  }

  /** Ends the session and everything it started. */
  async close(reason: string): Promise<void> {
    if (this.#isClosed) return;
    this.#rest.end();
    this.cancel();
    const cli = this.#cli;
    if (cli !== undefined) this.#lost(cli, "The session was closed.");
    this.#isClosed = true;
    this.#turns.current?.cancel();
    await Promise.all([cli?.engine.stop(reason), this.#leaving, this.#tools.close()]);
  }

  /** Gives the CLI back; the next prompt brings it back with the conversation. False: it is needed. */
  #giveBack(why: string): boolean {
    const cli = this.#cli;
    if (cli === undefined) return true;
    if (cli.isBusy || cli.hasTasks) return false;
    this.#cli = undefined;
    this.#leaving = cli.engine.stop(why);
    return true;
  }

  /** Runs a turn to its end; never rejects, the turn itself carries the failure. */
  async #run(turn: Turn): Promise<void> {
    await this.#submit(turn);
    await turn.ended.catch(() => {});
  }

  async #submit(turn: Turn): Promise<void> {
    try {
      if (this.#cli?.tools !== this.#tools.kind && !this.#tools.hasShells) this.#giveBack("other tools were chosen");
      if (this.#leaving !== undefined) await this.#leaving;
      if (turn.isSettled) return;
      const cli = this.#cli ?? this.#launch();
      await Promise.all([cli.offers, turn.prepare()]);
      if (turn.isSettled) return;
      turn.isSent = true;
      cli.engine.prompt(turn.frame);
    } catch (cause) {
      if (isUnknownConversation(cause)) this.#identity.forget();
      turn.lose(cliFailure(cause));
    }
  }

  #launch(): Cli {
    const { launcher, after, client, onBug, mayBypass: allowBypass } = this.#ends;
    const { cwd, mcpServers, additionalDirectories: addDirs } = this.#setup;
    const chosen = { ...this.choices.launch, ...this.#tools.launch };
    const launch = { session: this.#identity.choice, ...chosen, allowBypass, addDirs };
    const launched = launcher({ sessionId: this.id, cwd, launch, mcpServers });
    const cli: Cli = new Cli(launched, {
      after,
      onEvent: (event) => this.#onEvent(cli, event),
      onClosed: (exit) => this.#onClosed(cli, exit),
      onBug,
      ...this.#tools.start,
      handlers: hostHandlers(this.#tools, {
        client,
        sessionId: this.id,
        view: this.#thread.view,
        flush: () => this.#outgoing.flush(),
        onStopped: () => this.#turns.current?.stopsByChoice(),
        onBug: (cause) => onBug("session/request_permission", cause),
      }),
    });
    this.#cli = cli;
    return cli;
  }

  #onEvent(cli: Cli, event: ConversationEvent): void {
    if (cli !== this.#cli) return;
    heed(event, this.#heeding);
    this.#push(fold(this.#thread, event));
    this.#turns.current?.take(event, cli.tellsState);
  }

  #push(updates: readonly SessionUpdate[]): void {
    for (const one of updates) this.#outgoing.push(one);
  }

  /** Credentials that were refused once will be refused again; minutes of retries help nobody. */
  #giveUpSignIn(): void {
    this.#turns.current?.settle({ kind: "failed", failure: "sign-in", text: "the API refused the credentials" });
    this.#cli?.interrupt();
  }

  #onClosed(cli: Cli, exit: ClaudeExit): void {
    if (cli !== this.#cli) return;
    const turn = this.#turns.current;
    this.#lost(cli, "The Claude CLI ended.");
    if (turn === undefined) return;
    if (!turn.isSent || turn.isHeard || turn.isCancelled) return turn.lose(cliFailure(exit));
    // It was gone before it could take the prompt, so another may have it; but only one.
    turn.isHeard = true;
    void this.#submit(turn);
  }

  /** The CLI is no longer ours; what it left open is closed. */
  #lost(cli: Cli, why: string): void {
    if (cli === this.#cli) this.#cli = undefined;
    this.#push(foldEnd(this.#thread, why));
    this.#outgoing.flush();
  }

  #send(one: SessionUpdate): void {
    if (this.#isClosed || this.#ends.client.send(this.id, one)) return;
    // The editor lags: the CLI waits until it has caught up.
    const engine = this.#cli?.engine;
    engine?.pause();
    const resume = (): void => engine?.resume();
    this.#ends.client.whenWritable().then(resume, resume);
  }
}
