/**
 * A recorded conversation between the CLI and its host, as rows to play or to wait for.
 *
 * Lines that a host cannot be expected to repeat (invalid lines, keep-alives) are left
 * out, so every row is a line of the CLI, a line awaited from the host, or an end.
 */
import { describeExit, type ExitRow, type RowFields, isFields, readRows, type Row, textOf } from "./tape-rows.ts";

export type TapeRow =
  | { readonly kind: "said"; readonly atMs: number; readonly line: string }
  | { readonly kind: "awaited"; readonly atMs: number; readonly frame: AwaitedFrame }
  /** The host closed the CLI's stdin. */
  | { readonly kind: "host-ended"; readonly atMs: number }
  | { readonly kind: "exit"; readonly atMs: number; readonly why: string };

/** A line that the host has to send before the tape continues. */
export type AwaitedFrame =
  | { readonly type: "user"; readonly uuid: string | undefined; readonly message: unknown }
  | { readonly type: "request"; readonly id: string; readonly subtype: string; readonly request: RowFields }
  | { readonly type: "answer"; readonly id: string; readonly answer: unknown };

export interface Tape {
  /** The working directory of the recorded CLI. */
  readonly cwd: string | undefined;
  readonly rows: readonly TapeRow[];
}

/** The runs of the CLI for one session, in order. */
export interface TapeSession {
  readonly id: string | undefined;
  readonly runs: readonly Tape[];
}

/** Reads the CLI's rows as one conversation. Throws a SyntaxError with the line number when the text is no recording. */
export function readTape(text: string): Tape {
  return tapeOf(readRows(text));
}

/** The CLI's rows of each session, in the order the sessions began; each run begins with its own meta row. */
export function tapeSessions(rows: readonly Row[]): readonly TapeSession[] {
  const sessions = new Map<string | undefined, Row[][]>();
  for (const row of rows) {
    if (row.side !== "claude") continue;
    const runs = sessions.get(row.session) ?? [];
    const run = runs.at(-1);
    if (run === undefined || (row.kind === "meta" && row.session !== undefined)) runs.push([row]);
    else run.push(row);
    sessions.set(row.session, runs);
  }
  return [...sessions]
    .map(([id, runs]): TapeSession => ({ id, runs: runs.map(tapeOf).filter((run) => run.rows.length > 0) }))
    .filter(({ runs }) => runs.length > 0);
}

function tapeOf(all: readonly Row[]): Tape {
  let cwd: string | undefined;
  let stderr = "";
  const rows: TapeRow[] = [];
  for (const row of all) {
    const { atMs } = row;
    if (row.kind === "meta") cwd = textOf(row.fields["cwd"]) ?? cwd;
    if (row.side !== "claude") continue;
    if (row.kind === "stderr") stderr = row.text.trim();
    else if (row.kind === "exit") rows.push({ kind: "exit", atMs, why: exitOf(row, stderr) });
    else if (row.kind === "eof") rows.push({ kind: "host-ended", atMs });
    else if (row.kind === "message" && row.dir === "out") rows.push({ kind: "said", atMs, line: row.line });
    else if (row.kind === "message") {
      const frame = readFrame(row.msg);
      if (frame !== undefined) rows.push({ kind: "awaited", atMs, frame });
    }
  }
  return { cwd, rows };
}

/** A line of the host that a tape can wait for; undefined for any other line. */
export function readFrame(message: unknown): AwaitedFrame | undefined {
  if (!isFields(message)) return undefined;
  const { type, request, response } = message;
  if (type === "user") return { type, uuid: textOf(message["uuid"]), message: message["message"] };
  if (type === "control_request" && isFields(request)) {
    const subtype = textOf(request["subtype"]) ?? "";
    return { type: "request", id: textOf(message["request_id"]) ?? "", subtype, request };
  }
  if (type === "control_response" && isFields(response)) {
    return { type: "answer", id: textOf(response["request_id"]) ?? "", answer: response["response"] };
  }
  return undefined;
}

/** A frame as a short text for error messages. */
export function describeFrame(frame: AwaitedFrame): string {
  switch (frame.type) {
    case "user":
      return "a prompt";
    case "request":
      return `the request ${frame.subtype}`;
    case "answer": {
      const behavior = isFields(frame.answer) ? textOf(frame.answer["behavior"]) : undefined;
      return `the answer ${behavior === undefined ? "" : `"${behavior}" `}to ${frame.id}`;
    }
  }
}

function exitOf(row: ExitRow, stderr: string): string {
  return `the Claude CLI ended with ${describeExit(row)}${stderr === "" ? "" : `: ${stderr}`}`;
}
