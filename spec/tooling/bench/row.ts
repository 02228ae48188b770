/**
 * One row of the bench's table, before it is measured.
 */
import type { Bowline, ProgramName } from "./bundle.ts";
import type { ContestantName, Contestants, Figures } from "./measure.ts";

/** What a row needs to know to set itself up. */
export interface Setting {
  /** The library as it is shipped: bundled, not as single sources. */
  readonly bowline: Bowline;
  /** The path of a bundled child program. */
  readonly program: (name: ProgramName) => string;
  readonly isQuick: boolean;
}

/** How a row's costs are shown: as a ratio to the floor, or as they are. */
export type Scale =
  /** `count` things are done for each cost, in milliseconds; more is better, shown as floor / cost. */
  | { readonly kind: "rate"; readonly count: number; readonly unit: string }
  /** Less is better, shown as cost / floor; with `per`, the floor as nanoseconds for each of so many. */
  | { readonly kind: "cost"; readonly unit: string; readonly per?: number }
  /** No floor: the cost itself, less is better. */
  | { readonly kind: "plain"; readonly unit: string };

/** The default number of rounds of a row. */
export const defaultRounds = 9;
export const quickRounds = 3;

export interface Row {
  /** Its first word is what `npm run bench -- <word>` selects. */
  readonly name: string;
  readonly scale: Scale;
  /** Whose cost is 1.00; the floor's unless another is named. */
  readonly baseline?: ContestantName;
  /** From DESIGN.md section 5: at least this for a rate, at most this for anything else. */
  readonly target?: number;
  /** Rounds in a full run. */
  readonly rounds?: number;
  readonly quickRounds?: number;
  readonly warmUps?: number;
  readonly isSwept?: boolean;
  /** Whether all its processes share one core, where the system supports it. */
  readonly isOnOneCore?: boolean;
  readonly open: () => Contest | Promise<Contest>;
}

export interface Contest {
  readonly contestants: Contestants;
  /** Ends whatever `open` started. */
  readonly close?: () => void | Promise<void>;
}

/** A row and its figures. */
export interface Outcome {
  readonly row: Row;
  readonly figures: Figures;
}
