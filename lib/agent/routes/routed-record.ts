/**
 * Keeps the entry of one session with two engines in the session index up to date.
 *
 * The id of the entry is the id under which the first engine saves its conversation, because
 * the session is loaded by that id. `/clear` begins another conversation, which gets an entry
 * of its own; the old entry stays as it was.
 */
import type { Prompt } from "../../engine/index.ts";
import { type EngineId, engineIds } from "../route.ts";
import type { EngineTrack } from "./engine-track.ts";
import { turnMark, type TurnMark } from "./merged-history.ts";
import { maxTurns, type SessionIndex } from "./session-index.ts";
import { isClearing } from "./shared-context.ts";

interface EndedTurn {
  readonly engine: EngineId;
  /** The id under which the engine saves its conversation. */
  readonly savedId: string;
  readonly mark: TurnMark;
}

export class RoutedRecord {
  readonly #index: SessionIndex;
  /** The id under which the last turn was listed. */
  #listedAs: string | undefined;
  /** The id of the conversation that was cleared. It may hold until the first engine has its next prompt. */
  #clearedId: string | undefined;
  /** Turns of a conversation that has no id yet. */
  #unlisted: EndedTurn[] = [];
  #saved: { readonly [E in EngineId]?: string };
  /** The turns of the session when it was opened. */
  readonly turns: readonly TurnMark[];

  /** `resumedId`: the session that is loaded; undefined for a new one. */
  constructor(index: SessionIndex, resumedId: string | undefined) {
    const entry = resumedId === undefined ? undefined : index.find(resumedId);
    this.#index = index;
    this.#listedAs = resumedId;
    this.#saved = {
      ...(entry?.claude !== undefined && { claude: entry.claude }),
      ...(entry?.codex !== undefined && { codex: entry.codex }),
    };
    this.turns = entry?.turns ?? [];
  }

  /** The conversations that the session has with its engines and that were saved before it was opened. */
  get saved(): { readonly [E in EngineId]?: string } {
    return this.#saved;
  }

  /** An engine has ended a turn. `sessionId`: under which the conversation of the first engine is saved now. */
  turnEnded(sessionId: string, { engine, conversation }: EngineTrack, prompt: Prompt, isFollowUp: boolean): void {
    const id = engineIds.find((one) => one === engine.id);
    // No engine saves it.
    if (id === undefined || isClearing(prompt)) return;
    const { savedId } = conversation;
    const turn = { engine: id, savedId, mark: turnMark(id, prompt.id, isFollowUp) };
    this.#unlisted = [...this.#unlisted, turn].slice(-maxTurns);
    if (sessionId === this.#clearedId) return;
    for (const one of this.#unlisted.splice(0)) this.#index.note({ sessionId, previousId: this.#listedAs, ...one });
    this.#listedAs = sessionId;
  }

  /** Everything that is said from now on belongs to another conversation. */
  cleared(sessionId: string): void {
    this.#clearedId = sessionId;
    this.#listedAs = undefined;
    this.#unlisted = [];
    this.#saved = {};
  }
}
