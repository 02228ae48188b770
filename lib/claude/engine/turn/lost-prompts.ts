/**
 * Remembers the prompts during which the CLI died, so that the next CLI knows them.
 *
 * A CLI writes a prompt to the transcript shortly after it has read it. If it died
 * before that, the prompt is sent to the next CLI with `shouldQuery: false`, which adds
 * it to the conversation without an answer.
 */
import type { PromptFrame } from "../../index.ts";
import type { ConversationId } from "../saved/conversation-id.ts";
import type { SessionStore } from "../saved/session-store.ts";

export class LostPrompts {
  readonly #store: Pick<SessionStore, "hasPrompt">;
  readonly #conversation: ConversationId;
  #frames: readonly PromptFrame[] = [];

  constructor(store: Pick<SessionStore, "hasPrompt">, conversation: ConversationId) {
    this.#store = store;
    this.#conversation = conversation;
  }

  /** The CLI died in the turn that had these prompts. */
  record(frames: readonly PromptFrame[]): void {
    this.#frames = [...this.#frames, ...frames];
  }

  /** Forgets the prompts that a transcript contains. Call it before the next CLI starts. */
  async check(): Promise<void> {
    const lost: PromptFrame[] = [];
    for (const frame of this.#frames) {
      const { conversationId } = this.#conversation;
      const found = await this.#store.hasPrompt(conversationId, frame.uuid ?? "").catch(() => "the prompt" as const);
      // There is no transcript to resume, so the next CLI starts a new conversation.
      if (found === "nothing") this.#conversation.markUnsaved();
      if (found !== "the prompt") lost.push(frame);
    }
    this.#frames = lost;
  }

  /** The prompts to send to the CLI before those of a turn, some of which may be submitted again. */
  take(submitted: readonly PromptFrame[]): readonly PromptFrame[] {
    const again = new Set(submitted.map(({ uuid }) => uuid));
    const frames = this.#frames.filter(({ uuid }) => !again.has(uuid));
    this.#frames = [];
    return frames.map((frame) => ({ ...frame, shouldQuery: false }));
  }
}
