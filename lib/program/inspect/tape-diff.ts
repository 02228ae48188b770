/**
 * Compares the messages of two tapes.
 *
 * Times, request ids and the ids of sessions, messages and calls differ in every run and
 * are not compared. The chunks of a stream are compared as one text, wherever they were
 * split. Equal messages are aligned first, then messages of the same name between them.
 */
import { isRecord } from "../../schema/index.ts";
import type { Row } from "../../tape/index.ts";
import { commonPairs } from "./sequence-alignment.ts";

/** What the comparison says about a row of the second tape; `was` and `now` for the first row of a changed message. */
export interface RowChange {
  readonly diff: "added" | "changed";
  readonly was?: unknown;
  readonly now?: unknown;
  /** The time of the row in the first tape. */
  readonly wasT?: number;
}

export interface RemovedRow {
  readonly row: Row;
  /** The session of the second tape in whose place the row's session is. */
  readonly session: string | undefined;
}

export interface TapeDiff {
  readonly changes: ReadonlyMap<Row, RowChange>;
  /** Rows of the first tape alone, by the row of the second before which they belong; undefined: at the end. */
  readonly removed: ReadonlyMap<Row | undefined, readonly RemovedRow[]>;
}

/** A message, or the chunks of a stream. */
interface Unit {
  readonly rows: Row[];
  /** Side, direction and name. */
  readonly key: string;
  readonly session: string | undefined;
  readonly msg: unknown;
  /** The text of a stream, in pieces. */
  readonly pieces: string[] | undefined;
}

/** Fields whose values are different in every run: ids and durations. */
const volatileKey =
  /^(?:session_?id|tool_?call_?id|(?:parent_)?tool_use_id|request_id|(?:thread|turn|item|terminal|message)id|timestamp|\w+_ms)$/i;
/** Ids that are made anew in every run, in whatever field; others name an option or a mode. */
const madeId = /^(?:(?:msg|toolu|call|req|rs|resp|item)_[\w-]+|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

export function diffTapes(before: readonly Row[], after: readonly Row[]): TapeDiff {
  const [old, fresh] = [unitsOf(before), unitsOf(after)];
  const sessions = matchedSessions(old, fresh);
  const changes = new Map<Row, RowChange>();
  const removed = new Map<Row | undefined, RemovedRow[]>();
  let [i, j] = [0, 0];
  const skipTo = (toOld: number, toFresh: number): void => {
    const place = fresh[toFresh]?.rows[0];
    for (; i < toOld; i++) {
      const { rows, session } = old[i] as Unit;
      const named = session === undefined ? undefined : (sessions.get(session) ?? session);
      const list = removed.get(place) ?? [];
      for (const row of rows) list.push({ row, session: named });
      removed.set(place, list);
    }
    for (; j < toFresh; j++) for (const row of fresh[j]?.rows ?? []) changes.set(row, { diff: "added" });
  };
  for (const [atOld, atFresh] of alignedUnits(old, fresh)) {
    skipTo(atOld, atFresh);
    const [was, now] = [old[i++], fresh[j++]];
    if (was !== undefined && now !== undefined && bodyOf(was) !== bodyOf(now)) noteChange(changes, was, now);
  }
  skipTo(old.length, fresh.length);
  return { changes, removed };
}

/** Equal units, and between them units of the same name. */
function alignedUnits(old: readonly Unit[], fresh: readonly Unit[]): readonly (readonly [number, number])[] {
  const equal = commonPairs(old.map(identityOf), fresh.map(identityOf));
  const pairs: (readonly [number, number])[] = [];
  let [i, j] = [0, 0];
  for (const [nextOld, nextFresh] of [...equal, [old.length, fresh.length] as const]) {
    const keys = (units: readonly Unit[], from: number, to: number): readonly string[] =>
      units.slice(from, to).map(({ key }) => key);
    for (const [a, b] of commonPairs(keys(old, i, nextOld), keys(fresh, j, nextFresh))) pairs.push([i + a, j + b]);
    if (nextOld < old.length) pairs.push([nextOld, nextFresh]);
    [i, j] = [nextOld + 1, nextFresh + 1];
  }
  return pairs;
}

function noteChange(changes: Map<Row, RowChange>, was: Unit, now: Unit): void {
  const [first, ...others] = now.rows;
  if (first === undefined) return;
  const value = (unit: Unit): unknown => unit.pieces?.join("") ?? JSON.parse(bodyOf(unit));
  changes.set(first, { diff: "changed", was: value(was), now: value(now), wasT: was.rows[0]?.atMs ?? 0 });
  for (const row of others) changes.set(row, { diff: "changed" });
}

function identityOf(unit: Unit): string {
  return `${unit.key} ${bodyOf(unit)}`;
}

/** What is compared. */
function bodyOf({ msg, pieces }: Unit): string {
  if (pieces !== undefined) return pieces.join("");
  return (
    JSON.stringify(msg, function omitVolatile(this: unknown, key: string, value: unknown): unknown {
      const isRequestId = key === "id" && this === msg;
      const isMade = typeof value === "string" && madeId.test(value);
      return isRequestId || isMade || volatileKey.test(key) ? undefined : value;
    }) ?? ""
  );
}

function unitsOf(rows: readonly Row[]): readonly Unit[] {
  const units: Unit[] = [];
  /** By side: the stream that may go on. */
  const streams = new Map<Row["side"], Unit>();
  /** Requests without a response so far: name and session. */
  const open = new Map<string, Pick<Unit, "key" | "session">>();
  for (const row of rows) {
    if (row.kind !== "message") continue;
    const msg = row.msg ?? row.line;
    const piece = pieceOf(msg);
    const { key, session } = placeOf(row, msg, open);
    const stream = streams.get(row.side);
    if (piece !== undefined && stream?.key === key && stream.session === session) {
      stream.rows.push(row);
      stream.pieces?.push(piece);
      continue;
    }
    const unit: Unit = { rows: [row], key, session, msg, pieces: piece === undefined ? undefined : [piece] };
    units.push(unit);
    if (piece === undefined) streams.delete(row.side);
    else streams.set(row.side, unit);
  }
  return units;
}

/** Name and session of a message; a response has those of its request. */
function placeOf(
  row: Extract<Row, { readonly kind: "message" }>,
  msg: unknown,
  open: Map<string, Pick<Unit, "key" | "session">>,
): Pick<Unit, "key" | "session"> {
  const name = nameOf(msg);
  const [id, params] = [field(msg, "id"), field(msg, "params")];
  const way = (name === undefined) === (row.dir === "in") ? "out" : "in";
  const place = `${row.side} ${row.session ?? ""} ${way} ${JSON.stringify(id)}`;
  const request = name === undefined ? open.get(place) : undefined;
  const said = row.session ?? field(params, "sessionId") ?? field(params, "threadId") ?? request?.session;
  const session = said ?? field(field(msg, "result"), "sessionId");
  const key = `${row.side} ${row.dir} ${name ?? `answer to ${request?.key ?? "nothing"}`}`;
  const found = { key, session: typeof session === "string" ? session : undefined };
  if (name !== undefined && id !== undefined) open.set(place, found);
  else open.delete(place);
  return found;
}

/** Undefined for a response. */
function nameOf(msg: unknown): string | undefined {
  const method = field(msg, "method");
  const update = field(field(field(msg, "params"), "update"), "sessionUpdate");
  if (method !== undefined) return JSON.stringify([method, update]);
  const event = field(msg, "event");
  const kind = field(field(event, "delta"), "type") ?? field(event, "type") ?? field(msg, "subtype");
  const type = field(msg, "type");
  return type === undefined ? undefined : JSON.stringify([type, kind]);
}

/** The text of a chunk; undefined for a message that is none. */
function pieceOf(msg: unknown): string | undefined {
  const params = field(msg, "params");
  const update = field(params, "update");
  const isChunk = String(field(update, "sessionUpdate")).endsWith("_chunk");
  const delta = field(field(msg, "event"), "delta");
  const piece = isChunk
    ? field(field(update, "content"), "text")
    : (field(delta, "text") ?? field(delta, "thinking") ?? field(delta, "partial_json") ?? field(params, "delta"));
  return typeof piece === "string" ? piece : undefined;
}

/** The nth session of the first tape corresponds to the nth of the second. */
function matchedSessions(old: readonly Unit[], fresh: readonly Unit[]): ReadonlyMap<string, string> {
  const idsOf = (units: readonly Unit[]): readonly string[] => [
    ...new Set(units.flatMap(({ session }) => session ?? [])),
  ];
  const names = idsOf(fresh);
  return new Map(idsOf(old).flatMap((id, n) => (names[n] === undefined ? [] : [[id, names[n]] as const])));
}

function field(value: unknown, key: string): unknown {
  return isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}
