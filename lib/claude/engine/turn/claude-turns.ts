/**
 * The turns of one conversation with the CLI: sends prompts, follows the running turn, and
 * reports how it ended.
 *
 * Each submitted prompt ends with exactly one `turn_ended`, unless the agent has ended the
 * turn itself (`finish`). A prompt that a dying CLI may not have saved is given to the next
 * CLI, see `LostPrompts`. Does not translate events.
 */
import {
  type ConversationHost,
  EngineFailure,
  type FreshStart,
  type Prompt,
  type TurnEnd,
} from "../../../engine/index.ts";
import { ClaudeExit, type ConversationEvent } from "../../index.ts";
import { type ClaudeTurnEnd, promptFrame } from "../../translate/index.ts";
import type { ClaudeRun } from "../run/claude-run.ts";
import type { ClaudeSupervisor } from "../run/claude-supervisor.ts";
import type { ConversationId } from "../saved/conversation-id.ts";
import { cliFailure, notSignedIn, turnFailure } from "../failures.ts";
import { watchForHang } from "./hang-detector.ts";
import { LostPrompts } from "./lost-prompts.ts";
import type { SessionStore } from "../saved/session-store.ts";
import { TurnTracker } from "./turn-tracker.ts";
import { UsageMeter } from "../usage-meter.ts";

export interface ClaudeTurnsOptions {
  readonly host: Pick<ConversationHost, "after" | "onEvent">;
  readonly supervisor: ClaudeSupervisor;
  readonly store: Pick<SessionStore, "hasPrompt">;
  readonly id: ConversationId;
  /** The conversation begins here: nothing of it is saved. */
  readonly isNew: boolean;
  /** The turn ends now, however it ended: closes its tool calls. */
  readonly onEnding: () => void;
  /** The CLI is broken; `what` says how. Stops it. */
  readonly onBroken: (what: string) => void;
}

export class ClaudeTurns {
  readonly #options: ClaudeTurnsOptions;
  /** The prompts that a CLI had when it died; undefined while none has died. */
  #lostPrompts: LostPrompts | undefined;
  /** The running turn. It stays here after its end, until the next prompt. */
  #turn: TurnTracker | undefined;
  /** What the user wants to go on with in a cleared conversation, after the running turn. */
  #next: FreshStart | undefined;
  #endHangWatch: () => void = () => {};
  readonly #usage: UsageMeter;
  /** When the account's usage limit ends, in seconds since the epoch, as the CLI last reported it. */
  resetsAt: number | undefined;

  constructor(options: ClaudeTurnsOptions) {
    this.#options = options;
    this.#usage = new UsageMeter(options.isNew);
  }

  /** A turn runs. */
  get isRunning(): boolean {
    return this.#turn !== undefined && !this.#turn.isEnded;
  }

  /** Looks which prompts of dead CLIs were saved. Call it before the next CLI starts. */
  async checkLostPrompts(): Promise<void> {
    await this.#lostPrompts?.check();
  }

  submit(prompt: Prompt, added: readonly Prompt[]): void {
    const frame = promptFrame(prompt);
    const turn = new TurnTracker(prompt.id, frame);
    for (const one of added) turn.add(one.id, promptFrame(one));
    this.#turn = turn;
    this.#next = undefined;
    const { supervisor, host, onBroken } = this.#options;
    const run = supervisor.current;
    if (run === undefined) return this.#lose(turn, new ClaudeExit("the Claude CLI ended before it got the prompt"));
    try {
      for (const lost of this.#lostPrompts?.take(turn.frames) ?? []) run.claude.prompt(lost);
      for (const one of turn.frames) run.claude.prompt(one);
    } catch (cause) {
      void supervisor.discard("it could not be given the prompt");
      return this.#lose(turn, cause);
    }
    this.#endHangWatch = watchForHang({
      turn,
      claude: run.claude,
      after: host.after,
      onAnswer: () => this.#acknowledge(turn),
      onHung: (cause) => {
        onBroken("does not answer");
        this.#lose(turn, cause);
      },
    });
  }

  /** Adds a prompt to the running turn. Returns false when no turn runs. */
  steer(prompt: Prompt): boolean {
    const turn = this.#turn;
    const run = this.#options.supervisor.current;
    if (run === undefined || turn === undefined || turn.isEnded) return false;
    const frame = promptFrame(prompt);
    turn.add(prompt.id, frame);
    run.claude.prompt(frame);
    return true;
  }

  interrupt(): void {
    if (this.#turn !== undefined) this.#turn.isInterrupted = true;
    this.#options.supervisor.current?.interrupt();
  }

  /** The user ended the turn by an answer to a permission request. `next`: what comes after it. */
  endByUser(next?: FreshStart): void {
    this.#turn?.endByUser();
    this.#next = next;
  }

  /** The agent has ended the turn itself. */
  finish(): void {
    this.#endHangWatch();
    this.#turn?.finish();
  }

  /** What one event of the CLI does to the running turn. */
  onEvent(run: ClaudeRun, event: ConversationEvent): void {
    if (event.type === "result") this.#usage.onResult(event);
    const turn = this.#turn;
    if (turn === undefined || turn.isEnded) return;
    this.#acknowledge(turn);
    const end = turn.onEvent(event, run.reportsIdle);
    if (end === undefined) return;
    if (end.kind !== "unanswered") return this.#endTurn(this.#turnEndOf(end));
    const text = "the Claude CLI came to rest without an answer";
    if (!turn.isInterrupted) {
      this.#recordLost(turn);
      this.#options.onBroken("ended its turn without a result");
    }
    this.#endTurn({ kind: "failed", failure: new EngineFailure("other", text) });
  }

  /** The CLI has exited on its own. */
  onExit(exit: ClaudeExit): void {
    const turn = this.#turn;
    if (turn !== undefined && !turn.isEnded) this.#lose(turn, exit);
  }

  /** Ends the turn at the first refusal: the CLI would retry refused credentials for minutes. */
  failSignIn(): void {
    if (this.#turn !== undefined && !this.#turn.isEnded) {
      this.#turn.finish();
      this.#endTurn({ kind: "failed", failure: notSignedIn("the API refused the credentials") });
    }
    this.#options.supervisor.current?.interrupt();
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
    this.#lostPrompts ??= new LostPrompts(this.#options.store, this.#options.id);
    this.#lostPrompts.record(frames);
  }

  #turnEndOf(end: ClaudeTurnEnd): TurnEnd {
    const usage = this.#usage.take();
    return end.kind === "stopped"
      ? { ...end, usage, ...(end.stopReason === "end_turn" && this.#next !== undefined && { next: this.#next }) }
      : { kind: "failed", failure: turnFailure(end.failure, end.text, this.resetsAt) };
  }

  #acknowledge(turn: TurnTracker): void {
    if (turn.isAcknowledged) return;
    turn.isAcknowledged = true;
    this.#options.host.onEvent({ type: "acknowledged" });
  }

  #endTurn(end: TurnEnd): void {
    this.#endHangWatch();
    this.#options.onEnding();
    this.#options.host.onEvent({ type: "turn_ended", end });
  }
}
