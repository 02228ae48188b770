/**
 * Turn: one prompt, from its sending to its one answer.
 *
 * It is answered by its own result, told by its uuid, and not before the CLI has
 * come to rest: a subagent in the background may still speak. What was added to it
 * on the way belongs to it, though the CLI may take that up only afterwards. An end
 * that never comes is the session's to call.
 */
import type { AssistantError, ConversationEvent, PromptFrame, Result } from "../../claude/index.ts";
import { turnEndOf, type TurnEnd } from "../../claude/translate/index.ts";

/** A prompt's content, once what it refers to was looked at. */
export type Refine = () => Promise<PromptFrame["message"]["content"]>;

export class Turn {
  readonly uuid: string;
  /** Looks at what the prompt refers to as late as can be. */
  readonly #refine: Refine | undefined;
  /** Resolves once. Rejects when the CLI is lost. */
  readonly ended: Promise<TurnEnd>;
  isCancelled = false;
  /** The CLI has it; until then there is nothing to interrupt. */
  isSent = false;
  /** The CLI has said something since; before that it may be given to another. */
  isAcknowledged = false;
  #isRetried = false;
  #content: PromptFrame["message"]["content"];
  #settle: (end: TurnEnd) => void = () => {};
  #reject: (cause: unknown) => void = () => {};
  #isStarted = false;
  #isSettled = false;
  #isEndedByUser = false;
  #isUnanswered = false;
  /** What was added and is not part of a result yet. */
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
    // Whoever asked awaits it; a turn nobody waits for any more may fail in silence.
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

  /** The prompt as it is sent; where that fails it stays as it came. */
  async prepare(): Promise<void> {
    this.#content = (await this.#refine?.().catch(() => undefined)) ?? this.#content;
  }

  get isSettled(): boolean {
    return this.#isSettled;
  }

  /** The CLI came to rest without a result, though nobody had asked it to stop. */
  get isUnanswered(): boolean {
    return this.#isUnanswered;
  }

  /** Takes it back from a CLI that has not taken it, once. False: it must not be given to another. */
  tryRetry(): boolean {
    if (!this.isSent || this.isAcknowledged || this.isCancelled || this.#isRetried) return false;
    this.#isRetried = true;
    // Until it is sent again there is nothing to interrupt.
    this.isSent = false;
    return true;
  }

  /** Something more for the model, within this turn. */
  add(content: PromptFrame["message"]["content"]): PromptFrame {
    const { frame, uuid } = new Turn(crypto.randomUUID(), content);
    this.#added.add(uuid);
    return frame;
  }

  /** Hears what the CLI says. `reportsIdle`: it will say when it rests. */
  take(event: ConversationEvent, tellsState: boolean): void {
    this.isAcknowledged ||= this.isSent;
    if (event.type === "command_lifecycle") {
      if (event.state === "cancelled") this.#added.delete(event.command_uuid);
      if (event.command_uuid !== this.uuid) return;
      if (event.state === "started") this.#isStarted = true;
      if (event.state === "cancelled" && this.#end === undefined) this.settle(cancelled);
    } else if (event.type === "assistant") {
      if (event.parent_tool_use_id == null && event.error !== undefined) this.#error = event.error;
    } else if (event.type === "result") {
      if (!this.#isOurs(event)) return;
      this.#end = turnEndOf(event, this.#error);
      // A CLI that names no prompts says nothing of what was added either.
      const heard = event.user_message_uuids ?? [...this.#added];
      for (const uuid of heard) this.#added.delete(uuid);
      if (!tellsState && this.#added.size === 0) this.settle(this.#end);
    } else if (event.type === "system" && event.subtype === "session_state_changed" && event.state === "idle") {
      if (this.#added.size > 0) return;
      if (this.#end !== undefined) this.settle(this.#end);
      else if (this.#isStarted) {
        this.#isUnanswered = !this.#isSettled && !this.isCancelled;
        this.settle(noAnswer);
      }
    }
  }

  /** A person's answer ends this turn; that is no cancellation. */
  endByUser(): void {
    this.#isEndedByUser = true;
  }

  /** Ends the turn; what comes later is too late. */
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

  /** The CLI is lost. A turn that was being cancelled is cancelled all the same. */
  fail(cause: unknown): void {
    if (this.isCancelled) return this.settle(cancelled);
    if (this.#end !== undefined) return this.settle(this.#end);
    if (this.#isSettled) return;
    this.#isSettled = true;
    this.#reject(cause);
  }

  /** Older CLIs name no prompts; then any result of a turn somebody asked for is ours. */
  #isOurs({ user_message_uuids, origin }: Result): boolean {
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
