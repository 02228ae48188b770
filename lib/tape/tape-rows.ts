/**
 * Parses the rows of a tape.
 *
 * `in` is a line into the agent or CLI, `out` a line out of it. A row without a side
 * belongs to the Claude CLI, as in recordings from before ACP was recorded. A truncated last
 * line, as a killed recorder leaves it, is ignored.
 */
import { parseBoundedJson, parseJson } from "../wire/index.ts";

/** `claude` and `codex`: the traffic of the agent with that CLI. */
export type Side = "acp" | "claude" | "codex";

export type RowFields = Readonly<Record<string, unknown>>;

interface RowPlace {
  /** Milliseconds since the recording began. */
  readonly atMs: number;
  readonly side: Side;
  /** The session of the CLI, when the tape has several CLIs. */
  readonly session: string | undefined;
}

export type Row = RowPlace &
  (
    | { readonly kind: "meta"; readonly fields: RowFields }
    | { readonly kind: "message"; readonly dir: "in" | "out"; readonly msg: unknown; readonly line: string }
    /** The host or client closed its end. */
    | { readonly kind: "eof" }
    | { readonly kind: "stderr"; readonly text: string }
    | { readonly kind: "exit"; readonly code: number | null; readonly signal: string | null }
    /** A problem with the preceding message. */
    | { readonly kind: "problem"; readonly about: string }
  );

export type ExitRow = Extract<Row, { readonly kind: "exit" }>;

/** Reads a recording. Throws a SyntaxError with the line number when the text is none. */
export function readRows(text: string): readonly Row[] {
  return [...rowsIn([text])];
}

/** Reads a recording in pieces, row by row; otherwise as `readRows`. */
export function* rowsIn(pieces: Iterable<string>): Generator<Row, void> {
  let number = 0;
  let rest = "";
  for (const piece of pieces) {
    rest += piece;
    // Without a line break nothing is copied, so that a line of many pieces costs no more than its length.
    if (!piece.includes("\n")) continue;
    const lines = rest.split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) yield* rowsOfLine(line, ++number, false);
  }
  yield* rowsOfLine(rest, ++number, true);
}

function* rowsOfLine(line: string, number: number, isLast: boolean): Generator<Row, void> {
  if (line.trim() === "") return;
  const fields = parseRow(line, number, isLast);
  const row = fields && readRow(fields);
  if (row) yield row;
}

/** The exit code or signal, as text to follow "ended with". */
export function describeExit({ code, signal }: ExitRow): string {
  return signal === null ? `exit code ${code}` : `signal ${signal}`;
}

export function isFields(value: unknown): value is RowFields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function parseRow(line: string, number: number, isLast: boolean): RowFields | undefined {
  const row = parseBoundedJson(line);
  if (isFields(row)) return row;
  if (isLast && row === undefined && line.startsWith('{"dir":')) return undefined;
  if (row === undefined && parseJson(line) !== undefined)
    throw new SyntaxError(`line ${number} of the recording is nested too deeply`);
  throw new SyntaxError(`line ${number} of the recording must be ${row === undefined ? "JSON" : "an object"}`);
}

/** Undefined for a row of an unknown kind. */
function readRow(fields: RowFields): Row | undefined {
  const { dir, t, side, msg, raw, text, about, code, signal } = fields;
  const place: RowPlace = {
    atMs: typeof t === "number" ? t : 0,
    side: side === "acp" || side === "codex" ? side : "claude",
    session: textOf(fields["session"]),
  };
  if (dir === "meta") return { ...place, kind: "meta", fields };
  if (dir === "stderr") return { ...place, kind: "stderr", text: textOf(text) ?? "" };
  if (dir === "problem") return { ...place, kind: "problem", about: textOf(about) ?? "" };
  if (dir === "exit") {
    const status = typeof code === "number" ? code : null;
    return { ...place, kind: "exit", code: status, signal: textOf(signal) ?? null };
  }
  if (dir !== "in" && dir !== "out") return undefined;
  if (fields["eof"] === true) return dir === "in" ? { ...place, kind: "eof" } : undefined;
  return { ...place, kind: "message", dir, msg, line: textOf(raw) ?? JSON.stringify(msg) ?? "" };
}
