/**
 * The interface between a conversation and where the user reads and types: a drawn
 * terminal or a pair of pipes.
 *
 * The conversation prints to the frontend and asks it; a frontend knows no agents.
 */
import type { PermissionOption, RequestPermissionOutcome } from "../../../acp/index.ts";
import type { SlashCompletion } from "../input/input-view.ts";
import type { Picked, PickList } from "./open-list.ts";

/** What a drawn frontend reads for each redraw, and the user's actions it reports. */
export interface FrontendView {
  /** Lines that may still change. */
  readonly live: (frame: string, nowMs: number) => readonly string[];
  /** What the agent is doing, in a word. */
  readonly doing: () => string;
  /** The session's options, as one line. */
  readonly status: () => string;
  /** The status is shown in red: the agent asks for nothing. */
  readonly isRisky: () => boolean;
  readonly words: () => readonly SlashCompletion[];
  /** The files that complete `@path` at the end of a text. */
  readonly files: (text: string) => readonly SlashCompletion[];
  /** The user pastes the image in the clipboard. Returns its label in the message, or why there is none. */
  readonly onPasteImage: () => Promise<{ readonly label: string } | { readonly problem: string }>;
  /** The user wants to see the whole of the last folded output. */
  readonly onUnfold: () => void;
  /** The user pressed Escape twice with nothing typed and nothing running. */
  readonly onRewind: () => void;
  /** The user stops the turn. */
  readonly onStop: () => void;
  /** The user switches to the next mode or model. */
  readonly onSwitch: (category: "mode" | "model") => void;
}

/** A permission request as a frontend shows it. */
export interface Question {
  /** The question in words; undefined where the options say enough. */
  readonly asked?: string | undefined;
  readonly options: readonly PermissionOption[];
  /** Every line of the tool call, wrapped at the terminal's current width. */
  readonly whole: () => readonly string[];
  /** Only the first of these lines were printed. */
  readonly isCut: boolean;
  /** A no can come with a sentence that says what to do instead. */
  readonly takesInstead?: boolean;
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
  /** Asks the user. `instead`: the user said no and what to do instead. Never called while another question is open. */
  readonly choose: (
    question: Question,
    signal: AbortSignal,
  ) => Promise<{ readonly outcome: RequestPermissionOutcome; readonly instead?: string }>;
  /** Lets the user choose from a list; never called while a question or list is open. */
  readonly pick: (list: PickList, signal: AbortSignal) => Promise<Picked>;
  /** Acts as if the user typed and sent this line. */
  readonly submit: (line: string) => void;
  /** Puts a prompt of the user back into the input line, to be edited and sent again. */
  readonly prefill: (text: string) => void;
  /** Resolves when the user leaves, even in mid-turn. */
  readonly left: Promise<void>;
  /** Acts as if the user left. */
  readonly leave: () => void;
  /** Restores the terminal. */
  readonly close: () => void;
}
