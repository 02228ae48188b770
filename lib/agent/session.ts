/**
 * Session: one conversation with Claude, as the editor knows it.
 *
 * Prompts run one after the other and each is answered exactly once. The session
 * id stays valid whatever happens to the CLI behind it: a lost one is started
 * again with the conversation it had.
 */
import type { AgentConnection, PromptResponse, SessionUpdate } from "../acp/index.ts";
import type {
  After,
  ClaudeExit,
  ClaudeLaunch,
  ConversationEvent,
  InitializeAnswer,
  McpServers,
  PromptFrame,
} from "../claude/index.ts";
import { fold, foldEnd, Thread, type View } from "../translate/index.ts";
import { Choices } from "./choices.ts";
import { Cli } from "./cli.ts";
import { passElicitation } from "./elicitations.ts";
import { cliFailure, isUnknownConversation, notSignedIn, turnFailure } from "./failures.ts";
import type { Launcher } from "./launcher.ts";
import { Outgoing } from "./outgoing.ts";
import { askPermission } from "./permissions.ts";
import { Remarks } from "./remarks.ts";
import type { Settings } from "./settings.ts";
import { Turn } from "./turn.ts";
import { TurnQueue } from "./turn-queue.ts";

/** How long the CLI has to stop when a turn is cancelled. */
export const cancelGraceMs = 3000;

export interface SessionEnds {
  readonly client: AgentConnection;
  readonly launcher: Launcher;
  readonly after: After;
  readonly view: View;
  readonly mayBypass: boolean;
  readonly isLegacy: boolean;
  readonly onBug: (doing: string, cause: unknown) => void;
}

export interface SessionSetup {
  readonly id: string;
  readonly cwd: string;
  readonly additionalDirectories: readonly string[];
  readonly mcpServers: McpServers;
  readonly settings: Partial<Settings>;
  /** No session was opened in this directory before. */
  readonly isFirstHere: boolean;
}

export class Session {
  readonly id: string;
  readonly choices: Choices;
  readonly #ends: SessionEnds;
  readonly #setup: SessionSetup;
  readonly #thread: Thread;
  readonly #outgoing: Outgoing;
  readonly #remarks: Remarks;
  readonly #turns = new TurnQueue((turn) => this.#run(turn));
  #cli: Cli | undefined;
  /** The CLI's own name for the conversation; `/clear` and forks change it. */
  #claudeId: string;
  /** The CLI keeps the conversation from its first turn on. */
  #isOnDisk = false;
  #resetsAt: number | undefined;
  #isAnnounced = false;
  #isClosed = false;

  constructor(ends: SessionEnds, setup: SessionSetup) {
    this.id = setup.id;
    this.#ends = ends;
    this.#setup = setup;
    this.#claudeId = setup.id;
    this.#thread = new Thread(ends.view);
    this.#outgoing = new Outgoing({ send: (one) => this.#send(one), after: ends.after });
    const push = (one: SessionUpdate): void => this.#outgoing.push(one);
    this.#remarks = new Remarks(ends.view, push);
    this.choices = new Choices(setup.settings, {
      push,
      mayBypass: ends.mayBypass,
      onModel: (model) => {
        if (ends.isLegacy) {
          ends.client.sendForeign(this.id, { sessionUpdate: "current_model_update", currentModelId: model });
        }
      },
    });
  }

  /** Starts the CLI and learns what it offers. Fails with an error for the editor. */
  async start(): Promise<void> {
    let answer: InitializeAnswer;
    try {
      answer = await this.#launch().offers;
    } catch (cause) {
      await this.close("the session could not be started");
      throw cliFailure(cause);
    }
    const { account } = answer;
    if (account?.apiProvider === "firstParty" && account.tokenSource === "none" && account.apiKeySource === undefined) {
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
  }

  async prompt(content: PromptFrame["message"]["content"]): Promise<PromptResponse> {
    // Whoever prompts knows the session.
    this.announce();
    const turn = new Turn(crypto.randomUUID(), content);
    this.#turns.push(turn);
    const end = await turn.ended;
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
      void cli.engine.stop("it did not stop when the turn was cancelled");
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
    this.cancel();
    const cli = this.#cli;
    if (cli !== undefined) this.#lost(cli, "The session was closed.");
    this.#isClosed = true;
    this.#turns.current?.cancel();
    await cli?.engine.stop(reason);
  }

  /** Runs a turn to its end; never rejects, the turn itself carries the failure. */
  async #run(turn: Turn): Promise<void> {
    await this.#submit(turn);
    await turn.ended.catch(() => {});
  }

  async #submit(turn: Turn): Promise<void> {
    try {
      const cli = this.#cli ?? this.#launch();
      await cli.offers;
      if (turn.isSettled) return;
      turn.isSent = true;
      cli.engine.prompt(turn.frame);
    } catch (cause) {
      // Killed before it wrote anything down, the CLI has nothing to go on from.
      if (isUnknownConversation(cause)) this.#isOnDisk = false;
      turn.lose(cliFailure(cause));
    }
  }

  #launch(): Cli {
    const { launcher, after, client, onBug } = this.#ends;
    const { cwd, mcpServers } = this.#setup;
    const launched = launcher({ cwd, launch: this.#launchFlags(), mcpServers });
    const cli: Cli = new Cli(launched, {
      after,
      onEvent: (event) => this.#onEvent(cli, event),
      onClosed: (exit) => this.#onClosed(cli, exit),
      onBug,
      handlers: {
        can_use_tool: (request, signal) =>
          askPermission(request, signal, {
            client,
            sessionId: this.id,
            view: this.#ends.view,
            flush: () => this.#outgoing.flush(),
            onStopped: () => this.#turns.current?.stopsByChoice(),
            onBug: (cause) => onBug("session/request_permission", cause),
          }),
        elicitation: (request, signal) => passElicitation(request, signal, client, this.id),
      },
    });
    this.#cli = cli;
    return cli;
  }

  #launchFlags(): ClaudeLaunch {
    const isFirst = !this.#isOnDisk;
    return {
      ...(isFirst && this.#setup.isFirstHere && this.choices.settings.autoResume
        ? { extra: { continue: true } }
        : { session: { kind: isFirst ? "new" : "resume", id: this.#claudeId } }),
      ...this.choices.launch,
      allowBypass: this.#ends.mayBypass,
      addDirs: this.#setup.additionalDirectories,
    };
  }

  #onEvent(cli: Cli, event: ConversationEvent): void {
    if (cli !== this.#cli) return;
    this.#heed(event);
    for (const one of fold(this.#thread, event)) this.#outgoing.push(one);
    this.#turns.current?.take(event, cli.tellsState);
  }

  /** What the session itself has to know of an event. */
  #heed(event: ConversationEvent): void {
    if (event.type === "rate_limit_event") this.#resetsAt = event.rate_limit_info.resetsAt ?? this.#resetsAt;
    if (event.type !== "system") return;
    if (event.subtype === "init") {
      this.#claudeId = event.session_id ?? this.#claudeId;
      this.#isOnDisk = true;
      this.#remarks.commands(undefined, event.terminal_slash_commands);
      this.#remarks.servers(event.mcp_servers ?? []);
      this.choices.heedModel(event.model);
      this.choices.heedMode(event.permissionMode);
    } else if (event.subtype === "status") {
      this.choices.heedMode(event.permissionMode);
    } else if (event.subtype === "commands_changed") {
      this.#remarks.commands(event.commands);
    } else if (event.subtype === "api_retry" && event.error === "authentication_failed") {
      this.#giveUpSignIn();
    }
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
    for (const one of foldEnd(this.#thread, why)) this.#outgoing.push(one);
    this.#outgoing.flush();
  }

  #send(one: SessionUpdate): void {
    if (this.#isClosed) return;
    const { client } = this.#ends;
    const engine = this.#cli?.engine;
    if (client.send(this.id, one) || engine === undefined) return;
    // The editor lags: the CLI waits until it has caught up.
    engine.pause();
    client.whenWritable().then(
      () => engine.resume(),
      () => engine.resume(),
    );
  }
}
