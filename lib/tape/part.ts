/**
 * Part: one side of a tape as it is played: what comes next, and what to make of
 * what the other side says.
 */

export type Step<Awaited> =
  | { readonly kind: "say"; readonly line: string; readonly atMs: number; readonly row: number }
  | { readonly kind: "wait"; readonly frame: Awaited; readonly atMs: number }
  /** All is said; it stays until its host goes. */
  | { readonly kind: "rest" }
  | { readonly kind: "exit"; readonly why: string; readonly atMs: number };

export interface Heard {
  /** How the host departs from the tape, in a sentence. */
  readonly departure?: string | undefined;
  /** Lines for the host that are not on the tape. */
  readonly replies?: readonly string[] | undefined;
}

export interface Part<Awaited> {
  /** What comes now. A line is said once: the part has moved on. */
  readonly next: () => Step<Awaited>;
  readonly hear: (line: string) => Heard;
  /** The host will not say what is waited for; the tape goes on without it. */
  readonly skip: () => void;
  /** A step that was given before, and is not to be said any more. */
  readonly isGivenUp?: (step: Step<Awaited>) => boolean;
}
