/**
 * The turn that a prompt has started, from its submission to its end.
 *
 * Knows which turns of Codex belong to the prompt. Usually that is the turn that the answer to
 * `turn/start` names. For a compaction or a goal no turn is named; there it is the next turn
 * that begins. After the model sets a goal itself, the turns for the goal belong to the prompt.
 */
import type { TurnEnd } from "../../../engine/index.ts";
import type { CodexTurn } from "../../protocol/index.ts";

export type TurnKind =
  /** A prompt for the model: the answer to `turn/start` names the turn. */
  | "prompt"
  /** The answer names a turn, but `turn/started` names another. */
  | "review"
  /** The next turn that begins. */
  | "compact"
  /** Every turn until the goal is no longer active. */
  | "goal"
  /** No turn of Codex. */
  | "local";

export class ActiveTurn {
  readonly promptId: string;
  readonly kind: TurnKind;
  /** Codex works on a goal: its turns belong to the prompt until the goal is no longer active. */
  isGoal: boolean;
  /** The id of the turn in Codex, once it is known. */
  turnId: string | undefined;
  isAcknowledged = false;
  isInterrupted = false;
  isEnded = false;
  /** A turn of Codex that was completed before Codex named the turn of this prompt. */
  completed: CodexTurn | undefined;
  /** How the turn ends although Codex would go on, for example because the API refused the credentials. */
  earlyEnd: TurnEnd | undefined;
  /** Aborts a question that is asked between two turns of Codex. */
  question: AbortController | undefined;
  /** Ends the watch for a hanging app-server. */
  stopWatching: () => void = () => {};

  constructor(promptId: string, kind: TurnKind) {
    this.promptId = promptId;
    this.kind = kind;
    this.isGoal = kind === "goal";
  }

  /** A turn of the conversation's thread has begun. */
  onStarted(turnId: string): void {
    if (this.kind === "compact") this.turnId ??= turnId;
    if (this.isGoal) this.turnId = turnId;
  }

  /** Whether the end of this turn of Codex may be the end of the prompt. */
  isOwn(turnId: string): boolean {
    return this.kind !== "local" && this.turnId === turnId;
  }

  /** The id for `turn/interrupt`. The empty id means the turn that runs or is about to start. */
  get interruptId(): string {
    return this.kind === "review" ? "" : (this.turnId ?? "");
  }
}
