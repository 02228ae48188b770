/**
 * Interface between the player and the playback of one side of a tape: the next step,
 * and the reaction to lines of the other side.
 */

export type PlaybackStep<Awaited> =
  | { readonly kind: "say"; readonly line: string; readonly atMs: number; readonly row: number }
  | { readonly kind: "wait"; readonly frame: Awaited; readonly atMs: number }
  /** Nothing more to send; the link stays open until the host closes it. */
  | { readonly kind: "rest" }
  | { readonly kind: "exit"; readonly why: string; readonly atMs: number };

export interface PlaybackReply {
  /** How the host departs from the tape, as a sentence. */
  readonly mismatch?: string | undefined;
  /** Lines for the host that are not on the tape. */
  readonly replies?: readonly string[] | undefined;
}

export interface Playback<Awaited> {
  /** The next step. A `say` step is returned once: the position moves on. */
  readonly next: () => PlaybackStep<Awaited>;
  /** Takes a line of the host. */
  readonly hear: (line: string) => PlaybackReply;
  /** Skips the awaited line: the host will not send it. */
  readonly skip: () => void;
  /** Whether a step that `next` returned earlier must no longer be played. */
  readonly isGivenUp?: (step: PlaybackStep<Awaited>) => boolean;
}
