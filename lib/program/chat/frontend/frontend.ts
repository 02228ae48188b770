/**
 * The interface between a conversation and where the user reads and types: a drawn
 * terminal or a pair of pipes.
 *
 * The conversation prints to the frontend and asks it; a frontend knows no agents.
 */
import type { PermissionOption, RequestPermissionOutcome } from "../../../acp/index.ts";
import type { SlashCompletion } from "../input/input-view.ts";

/** What a drawn frontend reads for each redraw, and the user's actions it reports. */
export interface FrontendView {
  /** Lines that may still change. */
  readonly live: (frame: string, nowMs: number) => readonly string[];
  /** What the agent is doing, in a word. */
  readonly doing: () => string;
  /** The session's options, as one line. */
  readonly status: () => string;
  readonly words: () => readonly SlashCompletion[];
  /** The user stops the turn. */
  readonly onStop: () => void;
  /** The user switches to the next mode or model. */
  readonly onSwitch: (category: "mode" | "model") => void;
}

/** A permission request as a frontend shows it. */
export interface Question {
  readonly options: readonly PermissionOption[];
  /** Every line of the tool call, wrapped at the terminal's current width. */
  readonly whole: () => readonly string[];
  /** Only the first of these lines were printed. */
  readonly isCut: boolean;
}

export interface Frontend {
  /** Whether the user can be asked. */
  readonly isAttended: boolean;
  readonly open: (view: FrontendView) => void;
  /** Prints lines that do not change any more. */
  readonly print: (lines: readonly string[]) => void;
  /** Resolves when the output has taken all lines; undefined when it already has. */
  readonly drained: () => Promise<void> | undefined;
  /** Something that `FrontendView` reports has changed. */
  readonly refresh: () => void;
  /** The user's next line; undefined when the user leaves. */
  readonly next: () => Promise<string | undefined>;
  /** Shows that something with this name is running; undefined ends it. */
  readonly busy: (what: string | undefined) => void;
  /** Asks the user; never called while another question is open. */
  readonly choose: (question: Question, signal: AbortSignal) => Promise<RequestPermissionOutcome>;
  /** Resolves when the user leaves, even in mid-turn. */
  readonly left: Promise<void>;
  /** Acts as if the user left. */
  readonly leave: () => void;
  /** Restores the terminal. */
  readonly close: () => void;
}
