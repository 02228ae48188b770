/**
 * A turn in which several engines take part, and its end.
 *
 * The first of these that applies: an engine was cancelled, and the turn is; an engine is not
 * signed in, and the turn fails with that, so that the user is asked to sign in; an engine
 * stopped for another reason than `end_turn`, and the turn does; an engine stopped with
 * `end_turn`. If none applies, every engine failed, and the turn fails with the failure of
 * the first.
 */
import type { Route } from "../route.ts";
import type { EngineTrack } from "./engine-track.ts";
import { addUsage, EngineFailure, type TurnEnd, type TurnUsage } from "../../engine/index.ts";

/** The turn that runs. */
export interface RunningTurn {
  readonly route: Route;
  /** The engine that works on it now. */
  track: EngineTrack | undefined;
  isCancelled: boolean;
  isAcknowledged: boolean;
}

export function combinedEnd(ends: readonly TurnEnd[]): TurnEnd {
  const end = decidingEnd(ends);
  const used = ends.map((one) => (one.kind === "stopped" ? one.usage : undefined));
  const usage = used.reduce<TurnUsage | undefined>(addUsage, undefined);
  if (end.kind !== "stopped") return end;
  const stopped = stoppedOf(ends);
  const isGoal = stopped.some((one) => one.isGoal === true);
  const next = stopped.find((one) => one.next !== undefined)?.next;
  return {
    ...end,
    ...(usage !== undefined && { usage }),
    ...(isGoal && { isGoal }),
    ...(next !== undefined && { next }),
  };
}

function decidingEnd(ends: readonly TurnEnd[]): TurnEnd {
  const stopped = stoppedOf(ends);
  const cancelled = stopped.find(({ stopReason }) => stopReason === "cancelled");
  if (cancelled !== undefined) return cancelled;
  const signedOut = ends.find((end) => end.kind !== "stopped" && isSignInFailure(end.failure));
  if (signedOut !== undefined) return signedOut;
  const early = stopped.find(({ stopReason }) => stopReason !== "end_turn");
  return early ?? stopped[0] ?? ends[0] ?? { kind: "stopped", stopReason: "cancelled" };
}

function stoppedOf(ends: readonly TurnEnd[]): readonly Extract<TurnEnd, { readonly kind: "stopped" }>[] {
  return ends.flatMap((end) => (end.kind === "stopped" ? [end] : []));
}

function isSignInFailure(failure: unknown): boolean {
  return failure instanceof EngineFailure && failure.kind === "not_signed_in";
}
