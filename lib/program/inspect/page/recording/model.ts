/**
 * The types that the modules of the inspector's page share.
 *
 * Types only. Every string comes from the tape and is text of unknown origin.
 */

export type TapeSide = "acp" | "claude" | "codex";

/** The kind of stream that a message is a chunk of. */
export type Family = "text" | "thought" | "input" | "output";

/** What a row is about, coarsely. */
export type RowKind = "prompt" | "text" | "thought" | "tool" | "permission" | "file" | "terminal" | "process" | "other";

/** A message as a name and a short text. */
export interface Described {
  readonly name: string;
  readonly say: string;
  readonly family?: Family;
}

export interface MessageRow {
  /** The index in the recording, also the fragment of the page's URL. */
  readonly i: number;
  /** Milliseconds since the recording began. */
  readonly t: number;
  readonly side: TapeSide;
  readonly dir: string;
  /** The tape's line, unchanged. */
  readonly line: string;
  /** The length of the message; 0 for a row without one. */
  chars: number;
  name: string;
  say: string;
  family?: Family;
  kind: RowKind;
  session?: string;
  /** The response to this request, or the request of this response. */
  pair?: MessageRow;
  isAnswer: boolean;
  isError: boolean;
  /** The time to the response, or the duration of the tool call that starts here. */
  ms?: number;
  /** The tool call that starts here. */
  tool?: Tool;
  /** The turn that was running. */
  turn?: TurnModel;
  /** The row's part in the comparison with another tape. */
  readonly diff?: "added" | "removed" | "changed";
  /** Schema violations of the message. */
  problems?: string[];
}

export interface Tool {
  readonly title: string;
  /** The row where the call starts. */
  readonly row: MessageRow;
  readonly from: number;
  to: number;
  /** "" when the recording does not have the end. */
  status: "" | "completed" | "failed";
}

export interface TurnModel {
  readonly first: MessageRow;
  /** Undefined when the recording ends before the turn does. */
  last?: MessageRow;
  readonly rows: MessageRow[];
  /** The number of the turn in its session, from 1. */
  readonly n: number;
}

export interface SessionModel {
  /** "" when the tape does not name the session. */
  readonly id: string;
  readonly rows: MessageRow[];
  readonly turns: TurnModel[];
}

export interface TapeModel {
  readonly meta: Readonly<Record<string, unknown>>;
  readonly rows: readonly MessageRow[];
  /** The sides that were recorded. */
  readonly sides: ReadonlySet<TapeSide>;
  /** By id, in the order they began. */
  readonly sessions: ReadonlyMap<string, SessionModel>;
  readonly tools: readonly Tool[];
  readonly problems: number;
  readonly chars: number;
  /** The time of the last row. */
  readonly end: number;
}

/** What a span of a turn is spent on. */
export type SpanKind = "wait" | "thought" | "text" | "tool" | "permission" | "request";

/** A part of the time of a turn. */
export interface TimelineSpan {
  readonly kind: SpanKind;
  readonly title: string;
  readonly from: number;
  to: number;
  /** The row where the span begins; for the wait the row that ends it. */
  readonly row: MessageRow;
  readonly isFailed: boolean;
}

export interface PlacedSpan extends TimelineSpan {
  /** From 1; line 0 is the turn's. */
  readonly line: number;
}

/** The durations of the requests of one method, or of the tool calls. */
export interface LatencyGroup {
  readonly name: string;
  readonly side: TapeSide;
  readonly count: number;
  readonly totalMs: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly maxMs: number;
  /** `belowMs`: the upper limit, exclusive; Infinity for the last bucket. */
  readonly buckets: { readonly belowMs: number; count: number; slowest?: MessageRow }[];
}

/** What can be folded: the rows without a session, a session, a turn. */
export type Foldable = "connection" | SessionModel | TurnModel;

/** A line of the list. */
export type Item = RowItem | RunItem | HeadItem;

export interface RowItem {
  readonly kind: "row";
  readonly one: MessageRow;
  /** Whether the row is shown as part of the open run above it. */
  readonly isInner: boolean;
}

/** The chunks of a stream as one line. */
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

/** The filters of the list. */
export interface Filter {
  /** In lower case. */
  search: string;
  /** The rows that contain `search`; undefined without a search. */
  matches: ReadonlySet<MessageRow> | undefined;
  /** "" for both sides. */
  side: "" | TapeSide;
  /** The rows of one session, or those without a session; undefined for all. */
  session: "connection" | SessionModel | undefined;
  /** "" for all kinds. */
  kind: "" | RowKind;
  /** Only rows with problems or errors. */
  isBad: boolean;
  /** Only rows that differ from the other tape. */
  isDiff: boolean;
  /** Sorted by time instead of grouped by session and turn. */
  isFlat: boolean;
}

/** The state of the page that the user changes. */
export interface ViewState extends Filter {
  readonly shut: Set<Foldable>;
  /** The unfolded runs, by their first rows. */
  readonly openRuns: Set<MessageRow>;
  items: readonly Item[];
  chosen: Item | undefined;
  /** Whether the detail pane shows the latencies instead of the chosen item. */
  isLatency: boolean;
}

/** Maps times to positions between 0 and 1. */
export interface TimeScale {
  readonly x: (t: number) => number;
  /** The starts of shortened silences. */
  readonly breaks: readonly number[];
}

/** A tool call on the time axis. */
export interface ToolBar {
  readonly tool: Tool;
  readonly from: number;
  readonly to: number;
  /** The line of the bar, from the top. */
  readonly line: number;
}
