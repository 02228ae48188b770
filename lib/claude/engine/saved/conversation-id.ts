/**
 * Maps the client's session id to the id of the CLI's conversation.
 *
 * The client's session id never changes. The CLI's id changes with `/clear` and with
 * a fork. A conversation can be resumed only when a turn is on disk. That is assumed
 * from the start of a turn until `markUnsaved`; otherwise the next CLI gets the original
 * target again.
 */
import type { ConversationRequest } from "../../../engine/index.ts";
import type { ConversationTarget, SystemInit } from "../../index.ts";

export class ConversationId {
  /** The id that the conversation was opened under. */
  readonly sessionId: string;
  readonly #original: ConversationTarget;
  #claudeId: string;
  #isOnDisk: boolean;

  constructor(target: ConversationTarget) {
    const isPartial = target.kind === "resume" && (target.forkTo !== undefined || target.at !== undefined);
    this.#original = target;
    this.sessionId = (target.kind === "resume" ? target.forkTo : undefined) ?? target.id;
    this.#claudeId = this.sessionId;
    this.#isOnDisk = target.kind === "resume" && !isPartial;
  }

  /** The CLI's id of the conversation, which is also the name of its transcript. */
  get conversationId(): string {
    return this.#claudeId;
  }

  /** The conversation to start the next CLI with. */
  get target(): ConversationTarget {
    return this.#isOnDisk ? { kind: "resume", id: this.#claudeId } : this.#original;
  }

  /** A turn has started; the event carries the CLI's current id of the conversation. */
  update({ session_id }: SystemInit): void {
    this.#claudeId = session_id ?? this.#claudeId;
    this.#isOnDisk = true;
  }

  /** The CLI died before it wrote the conversation to disk, so there is nothing to resume. */
  markUnsaved(): void {
    this.#isOnDisk = false;
  }
}

/** The conversation that the first CLI is started with. */
export function conversationTarget({ start, proposedId }: ConversationRequest): ConversationTarget {
  switch (start.kind) {
    case "new":
      return { kind: "new", id: proposedId };
    case "resume":
      return { kind: "resume", id: start.id };
    case "fork":
      return { kind: "resume", id: start.id, forkTo: proposedId, ...(start.at !== undefined && { at: start.at }) };
  }
}
