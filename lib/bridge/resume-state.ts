/**
 * Course: where a conversation stands, read from what the CLI says.
 *
 * Tells which conversation a new CLI has to carry on and with which settings, and
 * whether the end of one took something with it. Sends nothing.
 */
import type { ClaudeExit, ClaudeLaunch, ConversationEvent, ConversationTarget } from "../claude/index.ts";
import type { SessionOptions } from "./session-options.ts";
import type { QueryMethod } from "./queries.ts";

export class ResumeState {
  /** The CLI's id of the conversation. `/clear` changes it. */
  sdkSessionId: string;
  readonly #first: ConversationTarget;
  readonly #changed: { -readonly [K in keyof ClaudeLaunch]?: ClaudeLaunch[K] } = {};
  /** Prompts that were not answered yet, by their uuid. */
  readonly #open = new Set<string>();
  /** Every uuid a prompt was sent with: the CLI drops one it has seen. */
  readonly #used = new Set<string>();
  #hasBegun = false;
  #isTurning = false;
  #wasError = false;

  constructor({ resume, resume_session_at, fork_session }: SessionOptions, newId: () => string) {
    if (resume == null) {
      this.sdkSessionId = newId();
      this.#first = { kind: "new", id: this.sdkSessionId };
    } else {
      this.sdkSessionId = fork_session === true ? newId() : resume;
      const forkTo = fork_session === true ? this.sdkSessionId : undefined;
      this.#first = { kind: "resume", id: resume, forkTo, at: resume_session_at ?? undefined };
    }
  }

  /** What the next CLI is started with, over the plan. */
  launch(): ClaudeLaunch {
    // Before its first turn a conversation is not on disk and cannot be resumed.
    const session: ConversationTarget = this.#hasBegun ? { kind: "resume", id: this.sdkSessionId } : this.#first;
    return { ...this.#changed, session };
  }

  /** The uuid of a prompt: the client's own id where it can be, so that it can be found in the result. */
  promptId(id: string, newId: () => string): string {
    const uuid = isUuid(id) && !this.#used.has(id) ? id : newId();
    this.#used.add(uuid);
    this.#open.add(uuid);
    return uuid;
  }

  note(event: ConversationEvent): void {
    if (event.type === "command_lifecycle") {
      if (event.state === "completed" || event.state === "cancelled") this.#open.delete(event.command_uuid);
    } else if (event.type === "result") {
      for (const uuid of event.user_message_uuids ?? []) this.#open.delete(uuid);
      this.#isTurning = false;
      this.#wasError = event.is_error === true;
    } else if (event.type === "system" && event.subtype === "init") {
      this.#hasBegun = true;
      this.#isTurning = true;
      if (event.session_id !== undefined) this.sdkSessionId = event.session_id;
    } else if (event.type === "system" && event.subtype === "status" && typeof event.permissionMode === "string") {
      this.#changed.permissionMode = event.permissionMode;
    }
  }

  /** A setting was changed and has to be given to the next CLI too. */
  noteQuery(method: QueryMethod, [value]: readonly unknown[]): void {
    if (method === "setModel") this.#changed.model = typeof value === "string" ? value : undefined;
    if (method === "setPermissionMode" && typeof value === "string") this.#changed.permissionMode = value;
    if (method === "setMaxThinkingTokens") {
      this.#changed.maxThinkingTokens = typeof value === "number" ? value : undefined;
    }
  }

  /** True when the CLI left with all said: after a result, in peace or because the result was an error. */
  ended({ code }: ClaudeExit): boolean {
    const isOver = this.#open.size === 0 && !this.#isTurning;
    this.#open.clear();
    this.#isTurning = false;
    return isOver && (code === 0 || (code === 1 && this.#wasError));
  }
}

function isUuid(id: string): boolean {
  return /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(id);
}
