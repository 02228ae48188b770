/**
 * The end of a turn in which several engines took part.
 *
 * A cancelled engine cancels the turn; refused credentials come next, then the first stop
 * reason that is not `end_turn`. A turn fails only if every engine failed, with the failure
 * of the first.
 */
import { addUsage, EngineFailure, type TurnEnd, type TurnUsage } from "../../engine/index.ts";

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
