/**
 * Tracks one turn of the CLI from its events: whether the CLI has taken the prompt, and
 * how the turn ended.
 *
 * The turn ends when the CLI has sent the result that names the turn's uuid and has
 * then become idle, because a subagent may still emit events after the result. Prompts
 * added by `add` belong to the turn even if the CLI handles them after that result.
 */
import type { AssistantError, ConversationEvent, PromptFrame, Result } from "../../index.ts";
import { turnEndOf, type ClaudeTurnEnd } from "../../translate/index.ts";

/** `unanswered`: the CLI became idle without a result. */
export type TrackedEnd = ClaudeTurnEnd | { readonly kind: "unanswered" };

export class TurnTracker {
  /** The prompts of the turn: the first started it, the others were added. */
  readonly frames: PromptFrame[];
  /** The CLI has emitted any event since the prompt was sent, or has answered a probe of the hang detector. */
  isAcknowledged = false;
  /** The turn was interrupted. */
  isInterrupted = false;
  readonly #uuid: string;
  #isStarted = false;
  #isEndedByUser = false;
  #isEnded = false;
  /** The uuids of added prompts that no result has named yet. */
  readonly #unanswered = new Set<string>();
  #end: ClaudeTurnEnd | undefined;
  #error: AssistantError | undefined;

  constructor(uuid: string, frame: PromptFrame) {
    this.#uuid = uuid;
    this.frames = [frame];
  }

  /** The turn has ended: no further event belongs to it. */
  get isEnded(): boolean {
    return this.#isEnded;
  }

  /** The result of the turn, if the CLI has sent it and is not idle yet. */
  get result(): ClaudeTurnEnd | undefined {
    return this.#end && this.#asUserEnded(this.#end);
  }

  /** A further prompt belongs to this turn. */
  add(uuid: string, frame: PromptFrame): void {
    this.frames.push(frame);
    this.#unanswered.add(uuid);
  }

  /** The user ended the turn by an answer to a permission request: the stop reason is `end_turn`, not `cancelled`. */
  endByUser(): void {
    this.#isEndedByUser = true;
  }

  /** No further event is taken. */
  finish(): void {
    this.#isEnded = true;
  }

  /** Returns the end of the turn if this event ends it. `reportsIdle`: the CLI sends an event when it becomes idle. */
  onEvent(event: ConversationEvent, reportsIdle: boolean): TrackedEnd | undefined {
    if (this.#isEnded) return undefined;
    const end = this.#endOf(event, reportsIdle);
    if (end === undefined) return undefined;
    this.#isEnded = true;
    return end.kind === "unanswered" ? end : this.#asUserEnded(end);
  }

  #endOf(event: ConversationEvent, reportsIdle: boolean): TrackedEnd | undefined {
    if (event.type === "command_lifecycle") {
      if (event.state === "cancelled") this.#unanswered.delete(event.command_uuid);
      if (event.command_uuid !== this.#uuid) return undefined;
      if (event.state === "started") this.#isStarted = true;
      return event.state === "cancelled" && this.#end === undefined ? cancelled : undefined;
    }
    if (event.type === "assistant") {
      if (event.parent_tool_use_id == null && event.error !== undefined) this.#error = event.error;
      return undefined;
    }
    if (event.type === "result") {
      if (!this.#isResultOfTurn(event)) return undefined;
      this.#end = turnEndOf(event, this.#error);
      // The result of an older CLI names no prompts; it then counts for all added ones.
      for (const uuid of event.user_message_uuids ?? [...this.#unanswered]) this.#unanswered.delete(uuid);
      return !reportsIdle && this.#unanswered.size === 0 ? this.#end : undefined;
    }
    const isIdle = event.type === "system" && event.subtype === "session_state_changed" && event.state === "idle";
    if (!isIdle || this.#unanswered.size > 0) return undefined;
    return this.#end ?? (this.#isStarted ? { kind: "unanswered" } : undefined);
  }

  #asUserEnded(end: ClaudeTurnEnd): ClaudeTurnEnd {
    const isCancelled = end.kind === "stopped" && end.stopReason === "cancelled";
    return this.#isEndedByUser && isCancelled ? endTurn : end;
  }

  /** Whether a result belongs to this turn. Older CLIs name no prompts; then every result of a user's prompt does. */
  #isResultOfTurn({ user_message_uuids, origin }: Result): boolean {
    if (user_message_uuids !== undefined && user_message_uuids.length > 0)
      return user_message_uuids.some((uuid) => uuid === this.#uuid || this.#unanswered.has(uuid));
    return this.#isStarted && (origin?.kind === undefined || origin.kind === "human");
  }
}

const cancelled: ClaudeTurnEnd = { kind: "stopped", stopReason: "cancelled" };
const endTurn: ClaudeTurnEnd = { kind: "stopped", stopReason: "end_turn" };
