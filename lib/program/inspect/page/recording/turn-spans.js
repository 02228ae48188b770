/**
 * Divides the time of a turn into spans: the wait for the first output, thoughts, text,
 * tool calls, and the requests that wait for the client, among them the permissions.
 *
 * Reads one side of the recording, because the other side reports the same again. A span
 * is placed on the first free line below the span that contains it.
 */

/** @typedef {import("./model.ts").MessageRow} Row */
/** @typedef {import("./model.ts").PlacedSpan} PlacedSpan */
/** @typedef {import("./model.ts").TapeSide} Side */
/** @typedef {import("./model.ts").TimelineSpan} Span */
/** @typedef {import("./model.ts").SpanKind} SpanKind */
/** @typedef {import("./model.ts").TurnModel} Turn */

/** A longer pause in a stream ends its span. */
const maxPauseMs = 1000;
/** Spans of one turn that are placed; the longest ones when there are more. */
export const maxSpans = 400;

/** @param {Turn} turn @param {Side} side @returns {readonly Span[]} In the order they begin. */
export function spansOf(turn, side) {
  const [from, end] = [turn.first.t, endOf(turn)];
  /** @type {Span[]} */
  const spans = [];
  /** The stream that may go on. @type {Span | undefined} */
  let stream;
  let hasOutput = false;
  for (const row of turn.rows) {
    if (row.side !== side && row.tool === undefined) continue;
    const isStream = row.kind === "text" || row.kind === "thought";
    if (!hasOutput && (isStream || row.kind === "tool")) {
      hasOutput = true;
      spans.push({ kind: "wait", title: "until the first output", from, to: row.t, row, isFailed: false });
    }
    if (row.tool !== undefined) {
      const { title, status, to } = row.tool;
      spans.push({
        kind: "tool",
        title,
        from: row.t,
        to: status === "" ? end : to,
        row,
        isFailed: status === "failed",
      });
    } else if (isRequestToClient(row, side)) {
      const kind = row.kind === "permission" ? "permission" : "request";
      const title = [row.name, row.say].filter(Boolean).join(" ");
      spans.push({ kind, title, from: row.t, to: row.pair?.t ?? end, row, isFailed: row.pair?.isError === true });
    }
    if (isStream && row.side === side) {
      if (stream?.kind === row.kind && row.t - stream.to <= maxPauseMs) stream.to = row.t;
      else spans.push((stream = streamOf(row)));
    } else if (row.kind !== "other" && row.kind !== "process") stream = undefined;
  }
  return spans.sort((left, right) => left.from - right.from || right.to - left.to);
}

/** Gives each span a line, from 1; line 0 is the turn's. @param {readonly Span[]} spans In the order they begin. @returns {readonly PlacedSpan[]} */
export function placedSpans(spans) {
  const minMs =
    spans.length <= maxSpans ? -1 : (spans.map(lengthOf).sort((left, right) => right - left)[maxSpans] ?? 0);
  /** @type {PlacedSpan[]} */
  const placed = [];
  /** Where the last span of each line ends. @type {number[]} */
  const lineEnds = [Infinity];
  for (const span of spans) {
    if (lengthOf(span) <= minMs) continue;
    const parent = placed.findLast(
      (other) => other.from <= span.from && other.to >= span.to && lengthOf(other) > lengthOf(span),
    );
    let line = (parent?.line ?? 0) + 1;
    while ((lineEnds[line] ?? -1) > span.from) line++;
    lineEnds[line] = span.to;
    placed.push({ ...span, line });
  }
  return placed;
}

/** The time that at least one span of each kind covers. @param {readonly Span[]} spans In the order they begin. @returns {ReadonlyMap<SpanKind, number>} */
export function timeByKind(spans) {
  /** @type {Map<SpanKind, { ms: number, past: number }>} */
  const sums = new Map();
  for (const { kind, from, to } of spans) {
    const sum = sums.get(kind) ?? { ms: 0, past: -Infinity };
    sum.ms += Math.max(0, to - Math.max(from, sum.past));
    sum.past = Math.max(sum.past, to);
    sums.set(kind, sum);
  }
  return new Map([...sums].map(([kind, { ms }]) => [kind, ms]));
}

/** The time of the response, or of the last row when there is none. @param {Turn} turn */
export function endOf({ first, last, rows }) {
  return (last ?? rows.at(-1) ?? first).t;
}

/** A request that the client has to answer: of the agent to the editor, or of the CLI to the agent. @param {Row} row @param {Side} side */
function isRequestToClient({ side: of, dir, kind, isAnswer, pair }, side) {
  if (of !== side || dir !== "out" || isAnswer) return false;
  return kind === "permission" || pair !== undefined;
}

/** @param {Row} row @returns {Span} */
function streamOf(row) {
  const kind = row.kind === "thought" ? "thought" : "text";
  return {
    kind,
    title: kind === "text" ? "text of the model" : "thoughts",
    from: row.t,
    to: row.t,
    row,
    isFailed: false,
  };
}

/** @param {Span} span */
function lengthOf({ from, to }) {
  return to - from;
}
