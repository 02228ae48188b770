/**
 * Breakage: the prompt during which a CLI died, until the next one knows of it.
 *
 * A CLI writes a prompt down a moment after it has taken it. What it had not yet
 * when it died is told to the next one, as part of the conversation and not to be
 * answered.
 */
import type { PromptFrame } from "../claude/index.ts";
import type { Identity } from "./identity.ts";
import type { Saved } from "./saved.ts";
import type { Turn } from "./turn.ts";

export class Breakage {
  readonly #saved: Pick<Saved, "holds">;
  readonly #identity: Identity;
  #turn: Turn | undefined;

  constructor(saved: Pick<Saved, "holds">, identity: Identity) {
    this.#saved = saved;
    this.#identity = identity;
  }

  /** The CLI died in this turn, and somebody was told so. */
  note(turn: Turn): void {
    this.#turn = turn;
  }

  /** What the next CLI has to be told before anything else; asked before it is started. */
  async mend(): Promise<PromptFrame | undefined> {
    const turn = this.#turn;
    if (turn === undefined) return undefined;
    const { conversationId } = this.#identity;
    const held = await this.#saved.holds(conversationId, turn.uuid).catch(() => "the prompt" as const);
    // Then there is nothing to go on from, and the conversation begins anew.
    if (held === "nothing") this.#identity.forget();
    if (held !== "the prompt") return { ...turn.frame, shouldQuery: false };
    this.#turn = undefined;
    return undefined;
  }

  /** It was told. */
  mended(): void {
    this.#turn = undefined;
  }
}
