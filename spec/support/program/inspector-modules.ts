/**
 * The modules of the inspector's page that need no browser.
 *
 * They are plain JavaScript; here they get the types that their comments state.
 */
import type {
  Described,
  Filter,
  Item,
  LatencyGroup,
  RowKind,
  MessageRow,
  PlacedSpan,
  TapeSide,
  TimelineSpan,
  SpanKind,
  TapeModel,
  TimeScale,
  Tool,
  ToolBar,
  TurnModel,
  ViewState,
} from "../../../lib/program/inspect/page/recording/model.ts";

/** The size of a long list, see virtual-scroll.js. */
interface ScrollSpace {
  readonly count: number;
  readonly rowPx: number;
  readonly viewPx: number;
}

const at = (name: string): string => new URL(`../../../lib/program/inspect/page/${name}.js`, import.meta.url).href;

export const words: {
  readonly textOf: (value: unknown) => string;
  readonly short: (value: unknown, most?: number) => string;
  readonly time: (ms: number) => string;
  readonly size: (chars: number) => string;
  readonly many: (count: number, word: string) => string;
} = await import(at("format"));

export const json: {
  readonly isObject: (value: unknown) => boolean;
  readonly at: (value: unknown, ...path: readonly string[]) => unknown;
  readonly listOf: (value: unknown) => readonly unknown[];
} = await import(at("json"));

export const describing: {
  readonly describe: (side: TapeSide, msg: unknown, asked?: string) => Described;
} = await import(at("recording/describe"));

export const kinds: {
  readonly messageKinds: readonly (readonly [kind: RowKind, name: string])[];
} = await import(at("recording/message-kinds"));

export const { readTape }: { readonly readTape: (text: string) => TapeModel } = await import(at("recording/tape"));

export const scale: {
  readonly timeScale: (times: readonly number[], end: number) => TimeScale;
  readonly toolBars: (tools: readonly Tool[], scale: TimeScale) => readonly ToolBar[];
} = await import(at("timeline/time-scale"));

export const scroll: {
  readonly heightOf: (space: ScrollSpace) => number;
  readonly offsetAt: (space: ScrollSpace, scrollTop: number) => number;
  readonly scrollTopAt: (space: ScrollSpace, offset: number) => number;
} = await import(at("list/virtual-scroll"));

export const {
  matchesOf,
  findMatches,
}: {
  readonly matchesOf: (rows: readonly MessageRow[], search: string) => ReadonlySet<MessageRow>;
  readonly findMatches: (
    rows: readonly MessageRow[],
    search: string,
    pauses: { readonly isDue: boolean; readonly next: () => Promise<void> },
    isStale: () => boolean,
  ) => Promise<ReadonlySet<MessageRow> | undefined>;
} = await import(at("recording/search"));

export const places: {
  readonly maxPlaces: number;
  readonly changedPlaces: (
    was: unknown,
    now: unknown,
  ) => readonly { readonly path: string; readonly was: unknown; readonly now: unknown }[];
} = await import(at("detail/json-diff"));

export const spans: {
  readonly maxSpans: number;
  readonly spansOf: (turn: TurnModel, side: TapeSide) => readonly TimelineSpan[];
  readonly placedSpans: (spans: readonly TimelineSpan[]) => readonly PlacedSpan[];
  readonly timeByKind: (spans: readonly TimelineSpan[]) => ReadonlyMap<SpanKind, number>;
} = await import(at("recording/turn-spans"));

export const latency: {
  readonly latenciesOf: (rows: Iterable<MessageRow>) => readonly LatencyGroup[];
} = await import(at("recording/latency"));

export const lanes: {
  readonly lanesOf: (sides: ReadonlySet<TapeSide>) => readonly { readonly name: string; readonly percent: number }[];
  readonly participantsOf: (side: TapeSide) => readonly string[];
} = await import(at("recording/participants"));

export const list: {
  readonly isShown: (row: MessageRow, filter: Filter) => boolean;
  readonly itemsOf: (tape: TapeModel, view: ViewState) => readonly Item[];
  readonly countRows: (items: readonly Item[]) => number;
  readonly sameItem: (items: readonly Item[], item: Item) => Item | undefined;
} = await import(at("list/list-items"));

export const views: {
  readonly openingView: (tape: TapeModel) => ViewState;
  readonly fold: (view: ViewState, item: Item, isToBeShut?: boolean) => boolean;
  readonly foldTurns: (view: ViewState, tape: TapeModel) => void;
  readonly uncover: (view: ViewState, tape: TapeModel, row: MessageRow) => void;
} = await import(at("view-state"));

/** A tape with these rows. */
export function tapeOf(...rows: readonly object[]): TapeModel {
  return readTape(rows.map((row) => JSON.stringify(row)).join("\n"));
}

/** A row of the editor's side. */
export function acp(dir: "in" | "out", t: number, msg: object): object {
  return { dir, t, side: "acp", msg: { jsonrpc: "2.0", ...msg } };
}

/** A row of the CLI's. */
export function claude(dir: "in" | "out", t: number, msg: object, session?: string): object {
  return { dir, t, side: "claude", ...(session !== undefined && { session }), msg };
}

/** A row of Codex's side. */
export function codex(dir: "in" | "out", t: number, msg: object): object {
  return { dir, t, side: "codex", msg };
}

/** An update of a session. */
export function updated(t: number, update: object, sessionId = "s-1"): object {
  return acp("out", t, { method: "session/update", params: { sessionId, update } });
}

/** A piece of an answer. */
export function chunk(t: number, text: string, sessionId?: string): object {
  return updated(t, { sessionUpdate: "agent_message_chunk", content: { type: "text", text } }, sessionId);
}

/** A prompt, and the end of its turn. */
export function prompt(t: number, id: number, text: string, sessionId = "s-1"): object {
  return acp("in", t, { id, method: "session/prompt", params: { sessionId, prompt: [{ type: "text", text }] } });
}
export function answered(t: number, id: number, stopReason = "end_turn"): object {
  return acp("out", t, { id, result: { stopReason } });
}
