/**
 * Breakage: the prompt during which a CLI died, until the next one knows of it.
 *
 * A CLI writes a prompt down a moment after it has taken it. What it had not yet
 * when it died is told to the next one, as part of the conversation and not to be
 * answered.
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

  /** The CLI died in this turn, and somebody was told so. */
  record(turn: Turn): void {
    this.#turn = turn;
  }

  /** What the next CLI has to be told before anything else; asked before it is started. */
  async takeForReplay(): Promise<PromptFrame | undefined> {
    const turn = this.#turn;
    if (turn === undefined) return undefined;
    const { conversationId } = this.#conversation;
    const held = await this.#store.hasPrompt(conversationId, turn.uuid).catch(() => "the prompt" as const);
    // Then there is nothing to go on from, and the conversation begins anew.
    if (held === "nothing") this.#conversation.markUnsaved();
    if (held !== "the prompt") return { ...turn.frame, shouldQuery: false };
    this.#turn = undefined;
    return undefined;
  }

  /** It was told. */
  replayed(): void {
    this.#turn = undefined;
  }
}
