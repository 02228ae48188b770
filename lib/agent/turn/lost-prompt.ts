/**
 * Remembers the prompt during which the CLI died, so that the next CLI knows it.
 *
 * A CLI writes a prompt to the transcript shortly after it has read it. If it died
 * before that, the prompt is sent to the next CLI with `shouldQuery: false`, which adds
 * it to the conversation without an answer.
 */
import type { PromptFrame } from "../../claude/index.ts";
import type { ConversationId } from "../session/conversation-id.ts";
import type { SessionStore } from "../sessions/session-store.ts";
import type { Turn } from "./turn.ts";

export class LostPrompt {
  readonly #store: Pick<SessionStore, "hasPrompt">;
  readonly #conversation: ConversationId;
  #turn: Turn | undefined;

  constructor(store: Pick<SessionStore, "hasPrompt">, conversation: ConversationId) {
    this.#store = store;
    this.#conversation = conversation;
  }

  /** The CLI died in this turn, and the client was sent the error. */
  record(turn: Turn): void {
    this.#turn = turn;
  }

  /** The prompt to send to the next CLI before any other; undefined when none was lost. Call it before the CLI starts. */
  async takeForReplay(): Promise<PromptFrame | undefined> {
    const turn = this.#turn;
    if (turn === undefined) return undefined;
    const { conversationId } = this.#conversation;
    const found = await this.#store.hasPrompt(conversationId, turn.uuid).catch(() => "the prompt" as const);
    // There is no transcript to resume, so the next CLI starts a new conversation.
    if (found === "nothing") this.#conversation.markUnsaved();
    if (found !== "the prompt") return { ...turn.frame, shouldQuery: false };
    this.#turn = undefined;
    return undefined;
  }

  /** The prompt from `takeForReplay` was sent. */
  replayed(): void {
    this.#turn = undefined;
  }
}
