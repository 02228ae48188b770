/**
 * Detects a CLI that hangs after it was sent a prompt.
 *
 * A healthy CLI emits an event within milliseconds of a prompt. After `hangProbeMs` of
 * silence `get_binary_version` is sent, which the CLI answers even in mid-turn; an answer
 * proves that the CLI has read the prompt. Two unanswered probes mean that the CLI hangs:
 * two, because the machine may have slept during the first. Silence after the first
 * event is not watched, because models think for minutes.
 */
import { type Schedule } from "../../../wire/index.ts";
import { ControlTimeout, type ClaudeConnection } from "../../index.ts";
import type { TurnTracker } from "./turn-tracker.ts";

/** How long the CLI may be silent before the first probe, and how long it has to answer each probe. */
export const hangProbeMs = 10_000;
const maxProbes = 2;

export interface HangWatch {
  readonly turn: TurnTracker;
  readonly claude: ClaudeConnection;
  readonly after: Schedule;
  /** The CLI has answered a probe. */
  readonly onAnswer: () => void;
  /** Called at most once. */
  readonly onHung: (cause: ControlTimeout) => void;
}

/** Returns a function that ends the watch. */
export function watchForHang({ turn, claude, after, onAnswer, onHung }: HangWatch): () => void {
  let cancelTimer = startTimer();
  return () => cancelTimer();

  function startTimer(): () => void {
    return after(hangProbeMs, () => void probe(maxProbes));
  }

  /** Never rejects. */
  async function probe(probesLeft: number): Promise<void> {
    if (isOver()) return;
    // While the agent does not read from the CLI, it cannot receive an answer.
    if (claude.isPaused) return restart();
    const cause: unknown = await claude.control.request("get_binary_version", {}, { limitMs: hangProbeMs }).then(
      () => undefined,
      (failure: unknown) => failure,
    );
    if (isOver()) return;
    if (!(cause instanceof ControlTimeout)) onAnswer();
    else if (claude.isPaused) restart();
    else if (probesLeft > 1) await probe(probesLeft - 1);
    else onHung(cause);
  }

  function restart(): void {
    cancelTimer = startTimer();
  }

  function isOver(): boolean {
    return turn.isAcknowledged || turn.isEnded || !claude.isOpen;
  }
}
