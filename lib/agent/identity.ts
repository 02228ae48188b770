/**
 * Identity: which conversation of the CLI a session carries on.
 *
 * The editor's id stays; the CLI's changes with `/clear` and forks, and names
 * nothing that can be resumed before the first turn is on disk.
 */
import type { SessionChoice, SystemInit } from "../claude/index.ts";

export class Identity {
  /** What the editor calls the session. */
  readonly sessionId: string;
  readonly #begun: SessionChoice;
  #claudeId: string;
  #isOnDisk: boolean;

  constructor(choice: SessionChoice) {
    const forkTo = choice.kind === "resume" ? choice.forkTo : undefined;
    this.#begun = choice;
    this.sessionId = forkTo ?? choice.id;
    this.#claudeId = this.sessionId;
    this.#isOnDisk = choice.kind === "resume" && forkTo === undefined;
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
  get choice(): SessionChoice {
    return this.#isOnDisk ? { kind: "resume", id: this.#claudeId } : this.#begun;
  }

  /** A turn began, under the name the CLI has for the conversation now. */
  heed({ session_id }: SystemInit): void {
    this.#claudeId = session_id ?? this.#claudeId;
    this.#isOnDisk = true;
  }

  /** Killed before it wrote anything down, the CLI has nothing to go on from. */
  forget(): void {
    this.#isOnDisk = false;
  }
}
