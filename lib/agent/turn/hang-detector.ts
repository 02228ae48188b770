/**
 * Vigil: whether a CLI that was given a prompt is there at all.
 *
 * One that reads says so within milliseconds. One that says nothing for a while is
 * asked for its version, which it tells in the middle of anything: whoever answers
 * has read the prompt before the question. One that answers neither now nor when
 * asked again hangs, and would keep the prompt for ever. Asked twice, since the
 * first time may have run out while the machine slept.
 */
import { type Schedule } from "../../wire/index.ts";
import { ControlTimeout, type ClaudeConnection } from "../../claude/index.ts";
import type { Turn } from "./turn.ts";

/** How long a CLI may say nothing to a prompt before it is asked, and how long it has for each answer. */
export const hangProbeMs = 10_000;
const maxProbes = 2;

export interface HangWatch {
  readonly turn: Turn;
  readonly claude: ClaudeConnection;
  readonly after: Schedule;
  /** Called once, with what the CLI failed to do. */
  readonly onHung: (cause: ControlTimeout) => void;
}

export function watchForHang({ turn, claude, after, onHung }: HangWatch): void {
  wait();

  function wait(): void {
    const cancelTimer = after(hangProbeMs, () => void ask(maxProbes));
    void turn.ended.then(cancelTimer, cancelTimer);
  }

  /** Never rejects: whatever comes of the question is dealt with here. */
  async function ask(questions: number): Promise<void> {
    if (isOver()) return;
    // What we do not read we cannot hear.
    if (claude.isPaused) return wait();
    const cause: unknown = await claude.control.request("get_binary_version", {}, { limitMs: hangProbeMs }).then(
      () => undefined,
      (failure: unknown) => failure,
    );
    if (isOver()) return;
    if (!(cause instanceof ControlTimeout)) turn.isAcknowledged = true;
    else if (claude.isPaused) wait();
    else if (questions > 1) await ask(questions - 1);
    else onHung(cause);
  }

  function isOver(): boolean {
    return turn.isAcknowledged || turn.isSettled || !claude.isOpen;
  }
}
