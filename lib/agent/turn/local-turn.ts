/**
 * A turn that the agent works on itself, for example a slash command of its own.
 *
 * It waits in the queue like a prompt, so no prompt runs meanwhile, and is cancelled like
 * one: a cancel aborts the signal, and work that does not end in time is given up.
 */
import type { Schedule } from "../../wire/index.ts";
import { Turn } from "./turn.ts";

export interface LocalTurnOptions {
  /** Gets the engine ready; then gives the turn `ready` or `not_ready`. */
  readonly prepare: (turn: Turn) => void;
  readonly work: (signal: AbortSignal) => Promise<void>;
  readonly after: Schedule;
  /** How long cancelled work may take to end. */
  readonly graceMs: number;
}

export function localTurn({ prepare, work, after, graceMs }: LocalTurnOptions): Turn {
  const aborting = new AbortController();
  return new Turn(crypto.randomUUID(), [], undefined, (action, turn) => {
    switch (action) {
      case "prepare":
        return prepare(turn);
      case "submit":
        turn.take({ kind: "acknowledged" });
        void work(aborting.signal).then(
          () => turn.take({ kind: "ended", end: { kind: "stopped", stopReason: "end_turn" } }),
          (failure: unknown) => turn.take({ kind: "ended", end: { kind: "lost", failure } }),
        );
        return;
      case "interrupt":
        void turn.ended.then(after(graceMs, () => turn.take({ kind: "give_up" })));
        return aborting.abort();
      case "abandon":
        return;
    }
  });
}
