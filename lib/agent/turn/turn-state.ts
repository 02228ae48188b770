/**
 * The states of a turn and the transitions between them, as one table.
 *
 * A turn waits in the queue (`idle`), prepares its prompt while the engine gets ready
 * (`preparing`), is submitted (`sent`), is taken by the engine (`acknowledged`), may be
 * interrupted (`cancelling`) and ends once (`settled`). The functions are pure: what has
 * to be done after a transition is returned as an action.
 */
import type { TurnEnd } from "../../engine/index.ts";

export type TurnState =
  | { readonly kind: "idle" }
  | { readonly kind: "preparing"; readonly isRetry: boolean }
  /** `isRetry`: the prompt was submitted before, to a process that was lost. */
  | { readonly kind: "sent"; readonly isRetry: boolean }
  | { readonly kind: "acknowledged" }
  | { readonly kind: "cancelling" }
  | { readonly kind: "settled"; readonly end: TurnEnd };

export type TurnInput =
  /** The turn is the first of the queue. */
  | { readonly kind: "start" }
  /** The engine is ready and the prompt is prepared. */
  | { readonly kind: "ready" }
  /** The engine could not get ready. */
  | { readonly kind: "not_ready"; readonly failure: unknown }
  | { readonly kind: "acknowledged" }
  | { readonly kind: "ended"; readonly end: TurnEnd }
  | { readonly kind: "cancel" }
  /** The engine did not stop in time, or the session is closed. */
  | { readonly kind: "give_up" };

/** What the session has to do after a transition. */
export type TurnAction = "prepare" | "submit" | "interrupt" | "abandon" | "settle";

export interface Transition {
  readonly state: TurnState;
  readonly action?: TurnAction;
}

type TransitionRow = { readonly [K in TurnInput["kind"]]?: (state: never, input: never) => Transition };
type StateOf<S extends TurnState["kind"]> = Extract<TurnState, { readonly kind: S }>;
type InputOf<I extends TurnInput["kind"]> = Extract<TurnInput, { readonly kind: I }>;

const cancelled: TurnEnd = { kind: "stopped", stopReason: "cancelled" };

function settle(end: TurnEnd): Transition {
  return { state: { kind: "settled", end }, action: "settle" };
}

const settleCancelled = (): Transition => settle(cancelled);
const interrupt = (): Transition => ({ state: { kind: "cancelling" }, action: "interrupt" });
const settleEnd = (_: unknown, { end }: InputOf<"ended">): Transition => settle(end);

/** What each input does in each state. An input without an entry is ignored. */
const table: { readonly [S in TurnState["kind"]]: TransitionRow } = {
  idle: {
    start: (): Transition => ({ state: { kind: "preparing", isRetry: false }, action: "prepare" }),
    cancel: settleCancelled,
    give_up: settleCancelled,
  },
  preparing: {
    ready: ({ isRetry }: StateOf<"preparing">): Transition => ({ state: { kind: "sent", isRetry }, action: "submit" }),
    not_ready: (_: unknown, { failure }: InputOf<"not_ready">): Transition => settle({ kind: "lost", failure }),
    // Nothing was sent, so there is nothing to interrupt.
    cancel: settleCancelled,
    give_up: settleCancelled,
  },
  sent: {
    acknowledged: (): Transition => ({ state: { kind: "acknowledged" } }),
    // A lost prompt that the engine had not taken is submitted again, once.
    ended: ({ isRetry }: StateOf<"sent">, { end }: InputOf<"ended">): Transition =>
      end.kind === "lost" && !isRetry
        ? { state: { kind: "preparing", isRetry: true }, action: "prepare" }
        : settle(end),
    cancel: interrupt,
    give_up: settleCancelled,
  },
  acknowledged: {
    ended: settleEnd,
    cancel: interrupt,
    give_up: settleCancelled,
  },
  cancelling: {
    ended: (_: unknown, { end }: InputOf<"ended">): Transition =>
      settle(end.kind === "stopped" && end.usage !== undefined ? { ...cancelled, usage: end.usage } : cancelled),
    give_up: (): Transition => ({ state: { kind: "settled", end: cancelled }, action: "abandon" }),
  },
  settled: {},
};

/** The state after an input, and what has to be done. The same state without an action when the input is ignored. */
export function transition(state: TurnState, input: TurnInput): Transition {
  const row: TransitionRow = table[state.kind];
  // The entry was found by the kinds of the state and the input, so it takes both.
  const entry = row[input.kind] as ((state: TurnState, input: TurnInput) => Transition) | undefined;
  return entry?.(state, input) ?? { state };
}
