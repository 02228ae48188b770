/**
 * Turns a tape, or two tapes to compare, into the HTML page of `bowline inspect`.
 *
 * Validates the messages when the tape has no validation results yet.
 */
import { hasCodex, type Row } from "../../tape/index.ts";
import { TrafficValidator } from "../tapes/traffic-validator.ts";
import { pageOf } from "./page.ts";
import { type Change, diffTapes } from "./tape-diff.ts";

export interface NamedTape {
  readonly rows: readonly Row[];
  /** The title of the page when the tape does not name the recorded command. */
  readonly name: string;
}

/** With `before` the page shows how the tape differs from that one. */
export function inspect({ rows, name }: NamedTape, before?: NamedTape): string {
  const isChecked = rows.some(({ kind }) => kind === "problem");
  // A recording of Codex alone has no sides.
  const isCodexOnly = hasCodex(rows) && !rows.some(({ side }) => side === "codex");
  const validator = new TrafficValidator();
  const sideOf = (row: Row): Row["side"] => (isCodexOnly && row.side === "claude" ? "codex" : row.side);
  const diff = before && diffTapes(before.rows, rows);
  const lines: string[] = [JSON.stringify({ dir: "meta", file: name, ...(before && { before: before.name }) })];
  const addRemoved = (place: Row | undefined): void => {
    for (const { row, session } of diff?.removed.get(place) ?? [])
      lines.push(lineOf({ ...row, session }, sideOf(row), { diff: "removed" }));
  };
  for (const row of rows) {
    addRemoved(row);
    lines.push(lineOf(row, sideOf(row), diff?.changes.get(row)));
    if (isChecked || row.kind !== "message" || row.side !== "acp") continue;
    const about = validator.see(row.dir, row.line);
    if (about !== undefined) lines.push(JSON.stringify({ dir: "problem", t: row.atMs, side: "acp", about }));
  }
  addRemoved(undefined);
  return pageOf(lines);
}

function lineOf(row: Row, side: Row["side"], more: Change | { readonly diff: "removed" } | undefined): string {
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
