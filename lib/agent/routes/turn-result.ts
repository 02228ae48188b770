/**
 * A turn in which several engines take part, and how it ends. The first rule that applies decides:
 *
 * 1. An engine was cancelled: the turn is cancelled.
 * 2. An engine is not signed in: the turn fails with that, so that the user is asked to sign in.
 * 3. An engine stopped for another reason than `end_turn`: the turn stops for that reason.
 * 4. An engine stopped with `end_turn`: the turn does too.
 * 5. Every engine failed: the turn fails with the failure of the first engine.
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

/** The end of a turn whose prompt was not sent. What the user has refused is not tried again. */
export function failedEnd(failure: unknown): TurnEnd {
  const isRefused = failure instanceof EngineFailure && failure.kind === "refused";
  return isRefused ? { kind: "failed", failure } : { kind: "lost", failure };
}

/** Why an engine gave no answer, as a sentence; undefined when it stopped by itself. */
export function describeFailure(name: string, end: TurnEnd | undefined): string | undefined {
  if (end === undefined || end.kind === "stopped") return undefined;
  return `${name} could not answer: ${end.failure instanceof EngineFailure ? end.failure.message : "it failed"}`;
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
