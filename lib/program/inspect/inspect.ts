/**
 * Turns a tape into the HTML page of `bowline inspect`.
 *
 * Validates the messages when the tape has no validation results yet.
 */
import { type Fields, hasCodex, type Row } from "../../tape/index.ts";
import { TrafficValidator } from "../tapes/traffic-validator.ts";
import { pageOf } from "./page.ts";

/** `name`: the title of the page when the tape does not name the recorded command. */
export function inspect(rows: readonly Row[], name: string): string {
  const isChecked = rows.some(({ kind }) => kind === "problem");
  // A recording of Codex alone has no sides.
  const isCodexOnly = hasCodex(rows) && !rows.some(({ side }) => side === "codex");
  const validator = new TrafficValidator();
  const lines = [{ dir: "meta", file: name } as Fields].map((row) => JSON.stringify(row));
  for (const row of rows) {
    lines.push(lineOf(row, isCodexOnly && row.side === "claude" ? "codex" : row.side));
    if (isChecked || row.kind !== "message" || row.side !== "acp") continue;
    const about = validator.see(row.dir, row.line);
    if (about !== undefined) lines.push(JSON.stringify({ dir: "problem", t: row.atMs, side: "acp", about }));
  }
  return pageOf(lines);
}

function lineOf(row: Row, side: Row["side"]): string {
  const { atMs: t, session } = row;
  const place = { t, side, ...(session !== undefined && { session }) };
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
