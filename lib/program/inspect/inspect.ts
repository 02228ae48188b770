/**
 * Turns a tape, or two tapes to compare, into the HTML page of `bowline inspect`.
 *
 * Validates the messages when the tape has no validation results yet. One tape is read row
 * by row, and the page comes in pieces, so that memory does not grow with the tape.
 */
import { hasCodex, type Row } from "../../tape/index.ts";
import { TrafficValidator } from "../tapes/traffic-validator.ts";
import { pageOf } from "./page.ts";
import { type RowChange, diffTapes, type TapeDiff } from "./tape-diff.ts";

export interface NamedTape {
  /** Gone through twice, so that a large tape need not be held in memory. */
  readonly rows: Iterable<Row>;
  /** The title of the page when the tape does not name the recorded command. */
  readonly name: string;
}

/** The page in pieces. With `before` it shows how the tape differs from that one; then both tapes are held in memory. */
export function inspect(tape: NamedTape, before?: NamedTape): Generator<string, void> {
  return pageOf(before === undefined ? linesOf(tape, undefined) : comparedLines(tape, before));
}

function* comparedLines({ rows, name }: NamedTape, before: NamedTape): Generator<string, void> {
  const after = [...rows];
  const diff = diffTapes([...before.rows], after);
  yield* linesOf({ rows: after, name }, { ...diff, name: before.name });
}

function* linesOf(
  { rows, name }: NamedTape,
  before: (TapeDiff & { readonly name: string }) | undefined,
): Generator<string, void> {
  const { isChecked, isCodexOnly } = factsOf(rows);
  const validator = new TrafficValidator();
  const sideOf = (row: Row): Row["side"] => (isCodexOnly && row.side === "claude" ? "codex" : row.side);
  const removedBefore = (place: Row | undefined): readonly string[] =>
    (before?.removed.get(place) ?? []).map(({ row, session }) =>
      lineOf({ ...row, session }, sideOf(row), { diff: "removed" }),
    );
  yield JSON.stringify({ dir: "meta", file: name, ...(before && { before: before.name }) });
  for (const row of rows) {
    yield* removedBefore(row);
    yield lineOf(row, sideOf(row), before?.changes.get(row));
    if (isChecked || row.kind !== "message" || row.side !== "acp") continue;
    const about = validator.see(row.dir, row.line);
    if (about !== undefined) yield JSON.stringify({ dir: "problem", t: row.atMs, side: "acp", about });
  }
  yield* removedBefore(undefined);
}

/** What has to be known of the whole tape before its first row is written. */
function factsOf(rows: Iterable<Row>): { readonly isChecked: boolean; readonly isCodexOnly: boolean } {
  let [isChecked, hasMessages, hasSide] = [false, false, false];
  for (const row of rows) {
    isChecked ||= row.kind === "problem";
    hasMessages ||= hasCodex([row]);
    hasSide ||= row.side === "codex";
  }
  // A recording of Codex alone has no sides.
  return { isChecked, isCodexOnly: hasMessages && !hasSide };
}

function lineOf(row: Row, side: Row["side"], more: RowChange | { readonly diff: "removed" } | undefined): string {
  const { atMs: t, session } = row;
  const place = { t, side, ...(session !== undefined && { session }), ...more };
  switch (row.kind) {
    case "meta":
      return JSON.stringify({ ...row.fields, dir: "meta", t });
    case "message": {
      const head = JSON.stringify({ dir: row.dir, ...place }).slice(0, -1);
      return row.msg === undefined ? `${head},"raw":${JSON.stringify(row.line)}}` : `${head},"msg":${row.line}}`;
    }
    case "eof":
      return JSON.stringify({ dir: "in", ...place, eof: true });
    case "stderr":
      return JSON.stringify({ dir: "stderr", ...place, text: row.text });
    case "exit":
      return JSON.stringify({ dir: "exit", ...place, code: row.code, signal: row.signal });
    case "problem":
      return JSON.stringify({ dir: "problem", ...place, about: row.about });
  }
}
