/**
 * Tracks from the CLI's events how a replacement CLI has to resume the conversation.
 *
 * Knows the conversation id, the settings changed since the start, and the prompts that
 * have no result yet; from these it decides whether an exit of the CLI lost anything.
 * Sends nothing.
 */
import type { ClaudeExit, ClaudeLaunch, ConversationEvent } from "../claude/index.ts";
import { ConversationId } from "../claude/engine/index.ts";
import type { SessionOptions } from "./session-options.ts";
import type { QueryMethod } from "./queries.ts";

export class ResumeState {
  readonly #id: ConversationId;
  readonly #changed: { -readonly [K in keyof ClaudeLaunch]?: ClaudeLaunch[K] } = {};
  /** The uuids of prompts that have no result yet. */
  readonly #unanswered = new Set<string>();
  /** Every prompt uuid used so far: the CLI drops a prompt whose uuid it has seen. */
  readonly #used = new Set<string>();
  #isTurnRunning = false;
  #wasError = false;

  constructor({ resume, resume_session_at, fork_session }: SessionOptions, newId: () => string) {
    const forkTo = fork_session === true ? newId() : undefined;
    this.#id = new ConversationId(
      resume == null
        ? { kind: "new", id: newId() }
        : { kind: "resume", id: resume, forkTo, at: resume_session_at ?? undefined },
    );
  }

  /** The CLI's id of the conversation. `/clear` changes it. */
  get sdkSessionId(): string {
    return this.#id.conversationId;
  }

  /** The launch values of the next CLI that override those of the session's plan. */
  launch(): ClaudeLaunch {
    return { ...this.#changed, session: this.#id.target };
  }

  /** The uuid to send a prompt with: the client's id if it is an unused uuid, so that results name it. */
  promptId(id: string, newId: () => string): string {
    const uuid = isUuid(id) && !this.#used.has(id) ? id : newId();
    this.#used.add(uuid);
    this.#unanswered.add(uuid);
    return uuid;
  }

  note(event: ConversationEvent): void {
    if (event.type === "command_lifecycle") {
      if (event.state === "completed" || event.state === "cancelled") this.#unanswered.delete(event.command_uuid);
    } else if (event.type === "result") {
      for (const uuid of event.user_message_uuids ?? []) this.#unanswered.delete(uuid);
      this.#isTurnRunning = false;
      this.#wasError = event.is_error === true;
    } else if (event.type === "system" && event.subtype === "init") {
      this.#id.update(event);
      this.#isTurnRunning = true;
    } else if (event.type === "system" && event.subtype === "status" && typeof event.permissionMode === "string") {
      this.#changed.permissionMode = event.permissionMode;
    }
  }

  /** Remembers a setting that a query changed, so that the next CLI starts with it. */
  noteQuery(method: QueryMethod, [value]: readonly unknown[]): void {
    if (method === "setModel") this.#changed.model = typeof value === "string" ? value : undefined;
    if (method === "setPermissionMode" && typeof value === "string") this.#changed.permissionMode = value;
    if (method === "setMaxThinkingTokens") {
      this.#changed.maxThinkingTokens = typeof value === "number" ? value : undefined;
    }
  }

  /**
   * Takes note of the CLI's exit. True when the exit lost nothing: every prompt had its
   * result, and the exit code is 0, or 1 after a result with `is_error`.
   */
  ended({ code }: ClaudeExit): boolean {
    const isComplete = this.#unanswered.size === 0 && !this.#isTurnRunning;
    this.#unanswered.clear();
    this.#isTurnRunning = false;
    return isComplete && (code === 0 || (code === 1 && this.#wasError));
  }
}

function isUuid(id: string): boolean {
  return /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(id);
}
