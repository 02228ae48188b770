/**
 * Runs the prompts of a conversation, one at a time: starts turns of Codex, stops them, and
 * reports their ends.
 *
 * A turn ends when Codex completes it, or when its app-server is lost. Cancelling stops the
 * turn and the commands it has started. A prompt can be several turns of Codex: a goal, or
 * a plan that is carried out.
 */
import { type SessionUpdate, update } from "../../../acp/index.ts";
import { notice } from "../../../display/index.ts";
import {
  type RequestedOptions,
  type ConversationHost,
  EngineFailure,
  planPrompt,
  type Prompt,
  type TurnEnd,
} from "../../../engine/index.ts";
import { unknown } from "../../../schema/index.ts";
import { toFailure } from "../../app-server/errors.ts";
import {
  type CodexNotification,
  StartedTurn,
  type ThreadItem,
  type CodexTurn,
  type TurnCompleted,
} from "../../protocol/index.ts";
import { type CodexState, earlyEndOf, foldEnd, implementPlan, planQuestion, turnEndOf } from "../../translate/index.ts";
import { ActiveTurn } from "./active-turn.ts";
import type { ConversationSettings } from "../settings/conversation-settings.ts";
import type { ConversationThread, LoadedThread } from "../thread/conversation-thread.ts";
import { runCommand, turnKindOf } from "../run-command.ts";
import { type SlashInvocation, slashCommandOf } from "../slash-commands.ts";
import { turnInput, type TurnPrompt } from "./turn-input.ts";

/** How long the end of a cancelled turn waits for the ends of its commands. They take some 10 ms. */
const commandEndMs = 300;
/** How long an answer to Codex waits until the model has received the reason for it. */
const tellLimitMs = 5000;

export interface CodexTurnsOptions {
  readonly host: ConversationHost;
  readonly thread: ConversationThread;
  readonly state: CodexState;
  readonly settings: ConversationSettings;
  readonly cwd: string;
  /** The client's trace, to which the turns belong. */
  readonly trace: RequestedOptions["traceContext"];
  readonly push: (updates: readonly SessionUpdate[]) => void;
  readonly change: (loaded: LoadedThread, optionId: string, value: string) => Promise<void>;
  readonly clear: () => Promise<void>;
}

/** A turn that was given up; nothing of it is reported. */
interface AbandonedTurn {
  readonly turn: ActiveTurn;
  /** Resolves when Codex has ended it. */
  readonly ended: Promise<void>;
  readonly end: () => void;
}

export class CodexTurns {
  readonly #options: CodexTurnsOptions;
  /** The turn of the prompt that runs now. */
  #turn: ActiveTurn | undefined;
  /** The turn that Codex runs on the thread, with or without a prompt. */
  #runningTurnId: string | undefined;
  #abandoned: AbandonedTurn | undefined;
  #isGoalActive = false;
  /** Called when an item has ended. */
  #onItemEnded: (() => void) | undefined;

  constructor(options: CodexTurnsOptions) {
    this.#options = options;
  }

  get isBusy(): boolean {
    return this.#turn !== undefined || this.#runningTurnId !== undefined || this.#isGoalActive;
  }

  get abandoned(): AbandonedTurn | undefined {
    return this.#abandoned;
  }

  submit(prompt: Prompt, added: readonly Prompt[]): void {
    const command = prompt.preface === undefined ? slashCommandOf(prompt.content) : undefined;
    const { mode } = this.#options.settings.state;
    const turn = new ActiveTurn(prompt.id, command === undefined ? "prompt" : turnKindOf(command, mode));
    this.#turn = turn;
    this.#options.state.turnUsage = undefined;
    const { loaded } = this.#options.thread;
    if (loaded === undefined) {
      const failure = new EngineFailure("exited", "Codex does not run");
      return queueMicrotask(() => this.#endTurn(turn, { kind: "lost", failure }));
    }
    turn.stopWatching = loaded.server.watch();
    const running =
      command === undefined
        ? this.#startTurn(turn, loaded, [prompt, ...added])
        : this.#runCommand(turn, loaded, command);
    running.catch((cause: unknown) => this.#endTurn(turn, { kind: "failed", failure: toFailure(cause, "the prompt") }));
  }

  steer(prompt: Prompt): boolean {
    const turn = this.#turn;
    const { loaded } = this.#options.thread;
    if (loaded === undefined || turn?.kind !== "prompt" || turn.turnId === undefined || turn.isInterrupted)
      return false;
    const { threadId, server } = loaded;
    const params = { threadId, expectedTurnId: turn.turnId, clientUserMessageId: prompt.id };
    const steered = turnInput([prompt], server, this.#options.cwd).then((input) =>
      server.request("turn/steer", { ...params, input }, unknown),
    );
    steered.catch(() => {
      // The turn may have ended before Codex read the request.
      this.#options.push([notice(this.#options.host.view, "warning", "Codex did not take the additional prompt.")]);
    });
    return true;
  }

  /** Sends the model a message within a turn of the conversation or of a subagent. Never rejects. */
  async tell(threadId: string, expectedTurnId: string, text: string): Promise<void> {
    const { host, thread, push } = this.#options;
    const input = [{ type: "text", text, text_elements: [] }];
    const params = { threadId, expectedTurnId, clientUserMessageId: crypto.randomUUID(), input };
    const told = thread.loaded?.server.request("turn/steer", params, unknown, { limitMs: tellLimitMs });
    await told?.catch(() => push([notice(host.view, "warning", "Codex did not take the reason.")]));
  }

  interrupt(): void {
    const turn = this.#turn;
    if (turn !== undefined) turn.isInterrupted = true;
    // No turn of Codex runs during such a question.
    if (turn?.question !== undefined) return turn.question.abort();
    const { loaded } = this.#options.thread;
    if (loaded !== undefined) this.#stopWork(loaded, turn?.interruptId ?? this.#runningTurnId ?? "");
  }

  abandon(): void {
    const { thread, state, push } = this.#options;
    const turn = this.#turn;
    if (turn === undefined) return;
    push(foldEnd(state, "Cancelled."));
    this.#turn = undefined;
    turn.isEnded = true;
    if (turn.kind === "local" || thread.loaded === undefined) return turn.stopWatching();
    let end = (): void => {};
    const ended = new Promise<void>((resolve) => {
      end = () => {
        turn.stopWatching();
        this.#abandoned = undefined;
        resolve();
      };
    });
    this.#abandoned = { turn, ended, end };
    this.#stopWork(thread.loaded, turn.interruptId);
  }

  /** Nothing is reported any more. */
  close(): void {
    this.#turn?.stopWatching();
    this.#turn?.question?.abort();
    this.#abandoned?.end();
  }

  onTurnStarted(started: CodexTurn): void {
    this.#runningTurnId = started.id;
    const turn = this.#turn;
    if (turn === undefined) return;
    turn.onStarted(started.id);
    if (turn.kind !== "prompt") this.#acknowledge(turn);
  }

  /**
   * An item of the thread has begun. The prompt comes first, with the id that we gave it.
   * Codex saves it then; one that is killed after its answer to `turn/start` but before
   * this has lost the prompt.
   */
  onItemStarted(item: ThreadItem): void {
    const turn = this.#turn;
    if (turn === undefined) return;
    if (item.type !== "userMessage" || item.clientId === turn.promptId) this.#acknowledge(turn);
  }

  /** `show` reports what the client sees of the notification. */
  onTurnCompleted(notification: TurnCompleted, show: () => void): void {
    const { turn: completed } = notification.params;
    const { thread, state, host, push } = this.#options;
    const turn = this.#turn;
    this.#runningTurnId = undefined;
    thread.markSaved();
    const finish = (): void => {
      this.#onItemEnded = undefined;
      show();
      // Codex does not report the end of a command that it could not stop in time.
      if (completed.status === "interrupted" && this.#abandoned === undefined) push(foldEnd(state, "Cancelled."));
      this.#abandoned?.end();
      if (turn !== undefined && turn === this.#turn) this.#onCompleted(turn, completed);
    };
    const { loaded } = thread;
    if (completed.status !== "interrupted" || loaded === undefined || !state.isRunning) return finish();
    // A command that was starting when the turn was interrupted runs on.
    this.#stopCommands(loaded);
    const cancelLimit = host.after(commandEndMs, finish);
    this.#onItemEnded = () => {
      if (state.isRunning) return;
      cancelLimit();
      finish();
    };
  }

  onItemCompleted(): void {
    this.#onItemEnded?.();
  }

  /**
   * Codex would retry refused credentials for many seconds, so the turn is ended at the
   * first refusal. Returns true for such an error.
   */
  onError(notification: CodexNotification): boolean {
    const turn = this.#turn;
    const { loaded } = this.#options.thread;
    const end = earlyEndOf(notification, new Date());
    if (end === undefined || turn === undefined || loaded === undefined) return false;
    if (turn.earlyEnd === undefined) this.#stopWork(loaded, turn.interruptId);
    turn.earlyEnd ??= end;
    return true;
  }

  /** `status` is the state of the goal of the thread. */
  onGoal(status: unknown): void {
    // In plan mode Codex does not go on with a goal.
    this.#isGoalActive = status === "active" && this.#options.settings.state.mode !== "plan";
    const turn = this.#turn;
    // The model can set a goal itself.
    if (this.#isGoalActive && turn?.kind === "prompt") turn.isGoal = true;
    if (this.#isGoalActive || this.#runningTurnId !== undefined || turn?.isGoal !== true) return;
    this.#endTurn(turn, turn.isInterrupted ? cancelled : endTurn);
  }

  /** The app-server is gone. */
  onLost(failure: EngineFailure): void {
    this.#runningTurnId = undefined;
    this.#isGoalActive = false;
    this.#onItemEnded = undefined;
    this.#abandoned?.end();
    const turn = this.#turn;
    turn?.question?.abort();
    if (turn !== undefined) this.#endTurn(turn, { kind: "lost", failure });
  }

  /** Codex has completed a turn while the turn of this prompt ran. */
  #onCompleted(turn: ActiveTurn, completed: CodexTurn): void {
    if (!turn.isOwn(completed.id)) {
      // The answer that names the turn may not have been handled yet.
      if (turn.turnId === undefined) turn.completed = completed;
      return;
    }
    if (completed.status === "completed") {
      // Codex goes on with the next turn.
      if (turn.isGoal && this.#isGoalActive) return;
      if (turn.kind === "prompt" && this.#askAboutPlan(turn)) return;
    }
    if (turn.isGoal) this.#pauseGoal();
    this.#endTurn(turn, turn.earlyEnd ?? turnEndOf(completed, new Date()));
  }

  async #startTurn(
    turn: ActiveTurn,
    { server, threadId }: LoadedThread,
    prompts: readonly TurnPrompt[],
  ): Promise<void> {
    const input = await turnInput(prompts, server, this.#options.cwd);
    // The turn may have been abandoned while Codex was asked for its skills.
    if (turn.isEnded) return this.#abandoned?.turn === turn ? this.#abandoned.end() : undefined;
    if (turn.isInterrupted) return this.#endTurn(turn, cancelled);
    // The turn may be completed before this answer is handled. A plan that is carried out is a second turn of the prompt.
    turn.turnId = undefined;
    const params = { threadId, clientUserMessageId: turn.promptId, input };
    const started = await server.request("turn/start", params, StartedTurn, { trace: this.#options.trace });
    this.#onNamed(turn, started.turn.id);
  }

  /** Codex has answered with the id of the turn. */
  #onNamed(turn: ActiveTurn, turnId: string): void {
    turn.turnId = turnId;
    const { completed } = turn;
    turn.completed = undefined;
    if (completed !== undefined && !turn.isEnded) this.#onCompleted(turn, completed);
  }

  async #runCommand(turn: ActiveTurn, loaded: LoadedThread, command: SlashInvocation): Promise<void> {
    const { host, settings, cwd, push, change, clear } = this.#options;
    if (turn.kind === "local") this.#acknowledge(turn);
    if (turn.isGoal) this.#isGoalActive = true;
    await runCommand(command, {
      loaded,
      settings,
      cwd,
      onTurn: (turnId) => this.#onNamed(turn, turnId),
      say: (text) => push([update.agentMessage(text)]),
      prompt: (text) => this.#startTurn(turn, loaded, [{ content: [{ type: "text", text }] }]),
      change: async (optionId, value) => {
        await change(loaded, optionId, value);
        host.onEvent({ type: "settings_changed" });
      },
      clear,
    });
    if (turn.kind !== "local") return this.#acknowledge(turn);
    this.#endTurn(turn, turn.isInterrupted ? cancelled : endTurn);
  }

  /**
   * Stops the turn, its subagents and the commands of all of them. An interrupt is not
   * always answered, so no answer is awaited.
   */
  #stopWork({ server, threadId }: LoadedThread, turnId: string): void {
    this.#pauseGoal();
    server.sendOnly("turn/interrupt", { threadId, turnId });
    for (const agent of this.#options.state.agents.keys()) {
      server.sendOnly("turn/interrupt", { threadId: agent, turnId: "" });
    }
    this.#stopCommands({ server, threadId });
  }

  /** Codex would start the next turn. */
  #pauseGoal(): void {
    const { loaded } = this.#options.thread;
    if (!this.#isGoalActive || loaded === undefined) return;
    this.#isGoalActive = false;
    loaded.server.sendOnly("thread/goal/set", { threadId: loaded.threadId, status: "paused" });
  }

  #stopCommands({ server, threadId }: Pick<LoadedThread, "server" | "threadId">): void {
    for (const one of [threadId, ...this.#options.state.agents.keys()]) {
      server.sendOnly("thread/backgroundTerminals/clean", { threadId: one });
    }
  }

  /**
   * If the model has proposed a plan, asks the user whether to carry it out, which is then
   * part of the same prompt. Returns false when there is no plan.
   */
  #askAboutPlan(turn: ActiveTurn): boolean {
    const { host, thread, state, push, change } = this.#options;
    const asked = planQuestion(state);
    if (asked === undefined) return false;
    const question = new AbortController();
    turn.question = question;
    push(asked.announced);
    const carryOut = async (): Promise<void> => {
      const decision = await host.ask(asked.question, question.signal);
      turn.question = undefined;
      if (turn.isEnded) return;
      push(asked.settled(decision));
      const { loaded } = thread;
      if (turn.isInterrupted) return this.#endTurn(turn, cancelled);
      if (decision === undefined || loaded === undefined) return this.#endTurn(turn, endTurn);
      const { mode, freshPlan } = decision;
      if (freshPlan !== undefined) {
        return this.#endTurn(turn, { ...endTurn, next: { prompt: planPrompt(freshPlan), mode } });
      }
      await change(loaded, "mode", mode);
      host.onEvent({ type: "settings_changed" });
      await this.#startTurn(turn, loaded, [{ content: [{ type: "text", text: implementPlan }] }]);
    };
    carryOut().catch((cause: unknown) =>
      this.#endTurn(turn, { kind: "failed", failure: toFailure(cause, "the plan") }),
    );
    return true;
  }

  #acknowledge(turn: ActiveTurn): void {
    if (turn.isAcknowledged || turn.isEnded) return;
    turn.isAcknowledged = true;
    this.#options.host.onEvent({ type: "acknowledged" });
  }

  #endTurn(turn: ActiveTurn, end: TurnEnd): void {
    if (turn.isEnded) return;
    turn.isEnded = true;
    turn.stopWatching();
    if (this.#turn === turn) this.#turn = undefined;
    const { turnUsage: usage } = this.#options.state;
    const described: TurnEnd =
      end.kind !== "stopped"
        ? end
        : { ...end, ...(usage !== undefined && { usage }), ...(turn.isGoal && { isGoal: true }) };
    this.#options.host.onEvent({ type: "turn_ended", end: described });
  }
}

const cancelled: TurnEnd = { kind: "stopped", stopReason: "cancelled" };
const endTurn = { kind: "stopped", stopReason: "end_turn" } as const satisfies TurnEnd;
