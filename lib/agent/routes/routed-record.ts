/**
 * Keeps the entry of one session with two engines in the session index up to date.
 *
 * The id of the entry is the id under which the first engine saves its conversation, because
 * the session is loaded by that id. `/clear` begins another conversation, which gets an entry
 * of its own; the old entry stays as it was.
 */
import type { ConversationRequest, Prompt } from "../../engine/index.ts";
import { type EngineId, engineIds, otherEngine } from "../route.ts";
import type { AcceptedFiles, SavedFiles } from "./engine-configuration.ts";
import type { EngineTrack } from "./engine-track.ts";
import { turnMark, type TurnMark } from "./merged-history.ts";
import { type KeptFiles, maxTurns, type SessionIndex } from "./session-index.ts";
import { isClearing } from "./shared-context.ts";

interface EndedTurn {
  readonly engine: EngineId;
  /** The id under which the engine saves its conversation. */
  readonly savedId: string;
  readonly mark: TurnMark;
}

export interface RoutedRecordOptions {
  readonly index: SessionIndex;
  readonly request: Pick<ConversationRequest, "start" | "proposedId">;
  /** The engine whose conversation gives the session its id. */
  readonly owner: EngineId;
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
  /** The id and the files that were kept last. */
  #kept: string | undefined;
  /** The turns of the session when it was opened. */
  readonly turns: readonly TurnMark[];
  /** What the user had accepted when the session was opened. */
  readonly accepted: AcceptedFiles;

  constructor({ index, request: { start, proposedId }, owner }: RoutedRecordOptions) {
    const entry = start.kind === "resume" ? index.find(start.id) : undefined;
    this.#index = index;
    this.#listedAs = start.kind === "resume" ? start.id : undefined;
    this.#saved = {
      ...(entry?.claude !== undefined && { claude: entry.claude }),
      ...(entry?.codex !== undefined && { codex: entry.codex }),
    };
    this.turns = entry?.turns ?? [];
    // A session that had no prompt for its first engine is opened again as a new one under its id.
    const source = index.findPart(start.kind === "new" ? proposedId : start.id);
    /** Undefined when the other engine has not worked in the session. */
    const acceptedOf = (id: EngineId): SavedFiles | "unknown" | undefined => {
      const other = otherEngine(id);
      const accepted = source?.accepted?.[id];
      const hasOtherWorked = (start.kind !== "new" && other === owner) || source?.[other] !== undefined;
      return accepted ?? (hasOtherWorked ? "unknown" : undefined);
    };
    this.accepted = { claude: acceptedOf("claude"), codex: acceptedOf("codex") };
  }

  /** The conversations that the session has with its engines and that were saved before it was opened. */
  get saved(): { readonly [E in EngineId]?: string } {
    return this.#saved;
  }

  /** The request for the conversation of the engine that does not give the session its id. */
  requestOfOther(request: ConversationRequest, engine: EngineId): ConversationRequest {
    const id = this.#saved[engine];
    return {
      ...request,
      start: id === undefined ? { kind: "new" } : { kind: "resume", id },
      proposedId: crypto.randomUUID(),
    };
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

  /** Saves what the user has accepted, under the id of the session. Returns false when that failed. */
  keep(files: KeptFiles): boolean {
    const kept = JSON.stringify(files);
    if (kept === this.#kept) return true;
    const isKept = this.#index.keep({ previousId: this.#listedAs, ...files });
    if (isKept) this.#kept = kept;
    return isKept;
  }

  /** Everything that is said from now on belongs to another conversation. */
  cleared(sessionId: string): void {
    this.#clearedId = sessionId;
    this.#listedAs = undefined;
    this.#unlisted = [];
    this.#saved = {};
  }
}
