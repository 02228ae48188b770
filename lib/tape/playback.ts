/**
 * Part: one side of a tape as it is played: what comes next, and what to make of
 * what the other side says.
 */

export type PlaybackStep<Awaited> =
  | { readonly kind: "say"; readonly line: string; readonly atMs: number; readonly row: number }
  | { readonly kind: "wait"; readonly frame: Awaited; readonly atMs: number }
  /** All is said; it stays until its host goes. */
  | { readonly kind: "rest" }
  | { readonly kind: "exit"; readonly why: string; readonly atMs: number };

export interface PlaybackReply {
  /** How the host departs from the tape, in a sentence. */
  readonly mismatch?: string | undefined;
  /** Lines for the host that are not on the tape. */
  readonly replies?: readonly string[] | undefined;
}

export interface Playback<Awaited> {
  /** What comes now. A line is said once: the part has moved on. */
  readonly next: () => PlaybackStep<Awaited>;
  readonly hear: (line: string) => PlaybackReply;
  /** The host will not say what is waited for; the tape goes on without it. */
  readonly skip: () => void;
  /** A step that was given before, and is not to be said any more. */
  readonly isGivenUp?: (step: PlaybackStep<Awaited>) => boolean;
}
