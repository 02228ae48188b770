/**
 * Front: where a person sits, a terminal or a pair of pipes.
 *
 * The conversation prints to it and asks it; it knows nothing of agents.
 */
import type { PermissionOption, RequestPermissionOutcome } from "../../../acp/index.ts";
import type { SlashCompletion } from "../input/input-view.ts";

/** What a front that is drawn anew all the time looks at. */
export interface FrontendView {
  /** Lines that are not for good yet. */
  readonly live: (frame: string, nowMs: number) => readonly string[];
  /** What the agent is at. */
  readonly doing: () => string;
  /** How the session is set. */
  readonly status: () => string;
  readonly words: () => readonly SlashCompletion[];
  /** The person wants the turn to end. */
  readonly onStop: () => void;
  /** The person wants the next mode, or model. */
  readonly onSwitch: (category: "mode" | "model") => void;
}

/** A permission question as a front shows it. */
export interface Question {
  readonly options: readonly PermissionOption[];
  /** Every line of what is asked about, at the width the terminal has now. */
  readonly whole: () => readonly string[];
  /** Not all of those lines were printed. */
  readonly isCut: boolean;
}

export interface Frontend {
  readonly open: (view: FrontendView) => void;
  /** Lines for good. */
  readonly print: (lines: readonly string[]) => void;
  /** Resolves when what was printed has been taken; undefined when it has been. */
  readonly drained: () => Promise<void> | undefined;
  /** Something changed that `FrontendView` tells. */
  readonly refresh: () => void;
  /** What the person says next; undefined when they leave. */
  readonly next: () => Promise<string | undefined>;
  /** Something runs, under this name; undefined when it is over. */
  readonly busy: (what: string | undefined) => void;
  /** Asked one after the other. */
  readonly choose: (question: Question, signal: AbortSignal) => Promise<RequestPermissionOutcome>;
  /** Resolves when the person leaves, whatever is going on. */
  readonly left: Promise<void>;
  /** Makes the person leave. */
  readonly leave: () => void;
  /** Leaves the terminal as it was found. */
  readonly close: () => void;
}
