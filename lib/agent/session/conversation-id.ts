/**
 * Identity: which conversation of the CLI a session carries on.
 *
 * The editor's id stays; the CLI's changes with `/clear` and forks, and names
 * nothing that can be resumed before the first turn is on disk.
 */
import type { ConversationTarget, SystemInit } from "../../claude/index.ts";

export class ConversationId {
  /** What the editor calls the session. */
  readonly sessionId: string;
  readonly #begun: ConversationTarget;
  #claudeId: string;
  #isOnDisk: boolean;

  constructor(target: ConversationTarget) {
    const forkTo = target.kind === "resume" ? target.forkTo : undefined;
    this.#begun = target;
    this.sessionId = forkTo ?? target.id;
    this.#claudeId = this.sessionId;
    this.#isOnDisk = target.kind === "resume" && forkTo === undefined;
  }

  /** The CLI has written the conversation down. */
  get isOnDisk(): boolean {
    return this.#isOnDisk;
  }

  /** The conversation as the CLI names it on disk. */
  get conversationId(): string {
    return this.#claudeId;
  }

  /** What the next CLI is started with. */
  get target(): ConversationTarget {
    return this.#isOnDisk ? { kind: "resume", id: this.#claudeId } : this.#begun;
  }

  /** A turn began, under the name the CLI has for the conversation now. */
  update({ session_id }: SystemInit): void {
    this.#claudeId = session_id ?? this.#claudeId;
    this.#isOnDisk = true;
  }

  /** Killed before it wrote anything down, the CLI has nothing to go on from. */
  markUnsaved(): void {
    this.#isOnDisk = false;
  }
}
