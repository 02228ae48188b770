/**
 * One prompt, from its submission to its answer. A turn is settled exactly once.
 *
 * The turn ends when the CLI has sent the result that names the turn's uuid and has
 * then become idle, because a subagent may still emit events after the result. Prompts
 * added by `add` belong to the turn even if the CLI handles them after that result.
 * Has no timers: the session ends a turn whose CLI exits or hangs.
 */
import type { AssistantError, ConversationEvent, PromptFrame, Result } from "../../claude/index.ts";
import { turnEndOf, type TurnEnd } from "../../claude/translate/index.ts";

/** Computes the prompt's content when it is about to be sent, for example with the editor's unsaved text. */
export type Refine = () => Promise<PromptFrame["message"]["content"]>;

export class Turn {
  readonly uuid: string;
  readonly #refine: Refine | undefined;
  /** Rejects when the CLI exited or hung before the turn ended. */
  readonly ended: Promise<TurnEnd>;
  isCancelled = false;
  /** The prompt was sent to the CLI. Before that there is nothing to interrupt. */
  isSent = false;
  /**
   * The CLI has emitted any event since the prompt was sent, or has answered a probe of
   * the hang detector. Until then the prompt may be sent to another CLI, once.
   */
  isAcknowledged = false;
  #isRetried = false;
  #content: PromptFrame["message"]["content"];
  #settle: (end: TurnEnd) => void = () => {};
  #reject: (cause: unknown) => void = () => {};
  #isStarted = false;
  #isSettled = false;
  #isEndedByUser = false;
  #isUnanswered = false;
  /** The uuids of added prompts that no result has named yet. */
  readonly #added = new Set<string>();
  #end: TurnEnd | undefined;
  #error: AssistantError | undefined;

  constructor(uuid: string, content: PromptFrame["message"]["content"], refine?: Refine) {
    this.uuid = uuid;
    this.#content = content;
    this.#refine = refine;
    this.ended = new Promise((resolve, reject) => {
      this.#settle = resolve;
      this.#reject = reject;
    });
    // Prevents an unhandled rejection when nothing awaits the turn any more.
    this.ended.catch(() => {});
  }

  get frame(): PromptFrame {
    return {
      type: "user",
      message: { role: "user", content: this.#content },
      parent_tool_use_id: null,
      session_id: "",
      uuid: this.uuid,
      origin: { kind: "human" },
    };
  }

  /** Computes the final content. If that fails, the original content is sent. */
  async prepare(): Promise<void> {
    this.#content = (await this.#refine?.().catch(() => undefined)) ?? this.#content;
  }

  get isSettled(): boolean {
    return this.#isSettled;
  }

  /** The CLI became idle without a result, although the turn was not cancelled. */
  get isUnanswered(): boolean {
    return this.#isUnanswered;
  }

  /** Allows one retry with another CLI, if the first has not acknowledged the prompt. Returns false otherwise. */
  tryRetry(): boolean {
    if (!this.isSent || this.isAcknowledged || this.isCancelled || this.#isRetried) return false;
    this.#isRetried = true;
    this.isSent = false;
    return true;
  }

  /** Returns the frame of a further prompt that belongs to this turn. */
  add(content: PromptFrame["message"]["content"]): PromptFrame {
    const { frame, uuid } = new Turn(crypto.randomUUID(), content);
    this.#added.add(uuid);
    return frame;
  }

  /** Handles an event of the CLI. `reportsIdle`: the CLI sends an event when it becomes idle. */
  onEvent(event: ConversationEvent, reportsIdle: boolean): void {
    this.isAcknowledged ||= this.isSent;
    if (event.type === "command_lifecycle") {
      if (event.state === "cancelled") this.#added.delete(event.command_uuid);
      if (event.command_uuid !== this.uuid) return;
      if (event.state === "started") this.#isStarted = true;
      if (event.state === "cancelled" && this.#end === undefined) this.settle(cancelled);
    } else if (event.type === "assistant") {
      if (event.parent_tool_use_id == null && event.error !== undefined) this.#error = event.error;
    } else if (event.type === "result") {
      if (!this.#isResultOfTurn(event)) return;
      this.#end = turnEndOf(event, this.#error);
      // The result of an older CLI names no prompts; it then counts for all added ones.
      const answered = event.user_message_uuids ?? [...this.#added];
      for (const uuid of answered) this.#added.delete(uuid);
      if (!reportsIdle && this.#added.size === 0) this.settle(this.#end);
    } else if (event.type === "system" && event.subtype === "session_state_changed" && event.state === "idle") {
      if (this.#added.size > 0) return;
      if (this.#end !== undefined) this.settle(this.#end);
      else if (this.#isStarted) {
        this.#isUnanswered = !this.#isSettled && !this.isCancelled;
        this.settle(noAnswer);
      }
    }
  }

  /** The user ended the turn by an answer to a permission request: the stop reason is `end_turn`, not `cancelled`. */
  endByUser(): void {
    this.#isEndedByUser = true;
  }

  /** Ends the turn. Later calls have no effect. */
  settle(end: TurnEnd): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    this.#settle(this.isCancelled ? cancelled : this.#isEndedByUser && isCancelled(end) ? endTurn : end);
  }

  /** Ends the turn as cancelled, whatever the CLI does. */
  cancel(): void {
    this.isCancelled = true;
    this.settle(cancelled);
  }

  /** The CLI exited or hangs. A turn that is being cancelled ends as cancelled, one that has its result with that result. */
  fail(cause: unknown): void {
    if (this.isCancelled) return this.settle(cancelled);
    if (this.#end !== undefined) return this.settle(this.#end);
    if (this.#isSettled) return;
    this.#isSettled = true;
    this.#reject(cause);
  }

  /** Whether a result belongs to this turn. Older CLIs name no prompts; then every result of a user's prompt does. */
  #isResultOfTurn({ user_message_uuids, origin }: Result): boolean {
    if (user_message_uuids !== undefined && user_message_uuids.length > 0)
      return user_message_uuids.some((uuid) => uuid === this.uuid || this.#added.has(uuid));
    return this.#isStarted && (origin?.kind === undefined || origin.kind === "human");
  }
}

const cancelled: TurnEnd = { kind: "stopped", stopReason: "cancelled" };
const endTurn: TurnEnd = { kind: "stopped", stopReason: "end_turn" };
const noAnswer: TurnEnd = { kind: "failed", failure: "other", text: "the Claude CLI came to rest without an answer" };

function isCancelled(end: TurnEnd): boolean {
  return end.kind === "stopped" && end.stopReason === "cancelled";
}
