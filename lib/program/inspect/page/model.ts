/**
 * Recording: what a tape's lines mean, as the parts of the page hand it to each other.
 *
 * Only types, in one place for the page's modules and for their specs. Everything a
 * tape says has become text here, whatever it was.
 */

export type Side = "acp" | "claude";

/** The stream that a message is a piece of. */
export type Family = "text" | "thought" | "input";

/** A message in a name and some words. */
export interface Described {
  readonly name: string;
  readonly say: string;
  readonly family?: Family;
}

export interface MessageRow {
  /** Its place in the recording, and its address. */
  readonly i: number;
  /** Milliseconds since the recording began. */
  readonly t: number;
  readonly side: Side;
  readonly dir: string;
  /** As the tape has it. */
  readonly line: string;
  /** The length of its message; 0 when it has none. */
  chars: number;
  name: string;
  say: string;
  family?: Family;
  session?: string;
  /** The answer to this question, or the question of this answer. */
  pair?: MessageRow;
  isAnswer: boolean;
  isError: boolean;
  /** How long it took: to its answer, or the tool call that it begins. */
  ms?: number;
  /** The tool call that it begins. */
  tool?: Tool;
  /** The turn that runs. */
  turn?: TurnModel;
  /** What is wrong with it. */
  problems?: string[];
}

export interface Tool {
  readonly title: string;
  /** Where it begins. */
  readonly row: MessageRow;
  readonly from: number;
  to: number;
  /** Empty while it runs. */
  status: "" | "completed" | "failed";
}

export interface TurnModel {
  readonly first: MessageRow;
  /** Missing when the recording ends before it. */
  last?: MessageRow;
  readonly rows: MessageRow[];
  /** Counted from one. */
  readonly n: number;
}

export interface SessionModel {
  /** Empty when the tape does not name it. */
  readonly id: string;
  readonly rows: MessageRow[];
  readonly turns: TurnModel[];
}

export interface TapeModel {
  readonly meta: Readonly<Record<string, unknown>>;
  readonly rows: readonly MessageRow[];
  /** Who was recorded. */
  readonly sides: ReadonlySet<Side>;
  /** By their ids, in the order they began. */
  readonly sessions: ReadonlyMap<string, SessionModel>;
  readonly tools: readonly Tool[];
  readonly problems: number;
  readonly chars: number;
  /** When the last row came. */
  readonly end: number;
}

/** What can be folded: the rows of no session, a session, a turn. */
export type Foldable = "connection" | SessionModel | TurnModel;

/** A line of the list. */
export type Item = RowItem | RunItem | HeadItem;

export interface RowItem {
  readonly kind: "row";
  readonly one: MessageRow;
  /** Whether it is shown as a piece of the run above it. */
  readonly isInner: boolean;
}

/** A stream as one line. */
export interface RunItem {
  readonly kind: "run";
  readonly one: MessageRow;
  readonly rows: readonly MessageRow[];
}

export type HeadItem =
  | {
      readonly kind: "session";
      readonly key: "connection" | SessionModel;
      readonly name: string;
      readonly rows: readonly MessageRow[];
    }
  | { readonly kind: "turn"; readonly key: TurnModel; readonly name: string; readonly rows: readonly MessageRow[] };

/** What of a recording is to be shown. */
export interface Filter {
  /** In lower case. */
  search: string;
  /** Empty for both. */
  side: "" | Side;
  /** Only what is wrong or failed. */
  isBad: boolean;
  /** By time, not by session and turn. */
  isFlat: boolean;
}

/** What a person has made of the page so far. */
export interface ViewState extends Filter {
  readonly shut: Set<Foldable>;
  /** The runs that are open, by their first rows. */
  readonly openRuns: Set<MessageRow>;
  items: readonly Item[];
  chosen: Item | undefined;
}

/** Times as places between 0 and 1. */
export interface TimeScale {
  readonly x: (t: number) => number;
  /** Where a silence that was cut short begins. */
  readonly breaks: readonly number[];
}

/** A tool call on the time axis. */
export interface ToolBar {
  readonly tool: Tool;
  readonly from: number;
  readonly to: number;
  /** Counted from the top. */
  readonly line: number;
}
