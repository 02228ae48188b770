/**
 * Tape: a recorded conversation with the CLI as data.
 *
 * A recording is lines of `{"dir","t","msg"}`. What the host cannot be expected to
 * say again (garbage, signs of life) is left out, so every row is either spoken by
 * the tape, waited for, or an end.
 */

export type TapeRow =
  | { readonly kind: "said"; readonly atMs: number; readonly line: string }
  | { readonly kind: "awaited"; readonly atMs: number; readonly frame: AwaitedFrame }
  /** The host ended its side. */
  | { readonly kind: "host-ended"; readonly atMs: number }
  | { readonly kind: "exit"; readonly atMs: number; readonly why: string };

/** What the host has to say before the tape goes on. */
export type AwaitedFrame =
  | { readonly type: "user"; readonly uuid: string | undefined; readonly message: unknown }
  | { readonly type: "request"; readonly id: string; readonly subtype: string; readonly request: Fields }
  | { readonly type: "answer"; readonly id: string; readonly answer: unknown };

export type Fields = Readonly<Record<string, unknown>>;

export interface Tape {
  /** The directory it was recorded in. */
  readonly cwd: string | undefined;
  readonly rows: readonly TapeRow[];
}

/** Reads a recording. Throws a SyntaxError that names the line when it is none. */
export function readTape(text: string): Tape {
  let cwd: string | undefined;
  let stderr = "";
  const rows: TapeRow[] = [];
  for (const [i, line] of text.split("\n").entries()) {
    if (line.trim() === "") continue;
    const row = parseRow(line, i + 1);
    const atMs = typeof row["t"] === "number" ? row["t"] : 0;
    const { dir, msg } = row;
    if (dir === "meta" && typeof row["cwd"] === "string") cwd = row["cwd"];
    else if (dir === "stderr" && typeof row["text"] === "string") stderr = row["text"].trim();
    else if (dir === "out") rows.push({ kind: "said", atMs, line: lineOf(row) });
    else if (dir === "exit") rows.push({ kind: "exit", atMs, why: exitOf(row, stderr) });
    else if (dir === "in" && row["eof"] === true) rows.push({ kind: "host-ended", atMs });
    else if (dir === "in") {
      const frame = readFrame(msg);
      if (frame !== undefined) rows.push({ kind: "awaited", atMs, frame });
    }
  }
  return { cwd, rows };
}

/** A host's line as far as a tape can wait for it; undefined when it cannot. */
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

/** A frame in words, for whoever has to be told about it. */
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

export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function parseRow(line: string, number: number): Fields {
  let row: unknown;
  try {
    row = JSON.parse(line);
  } catch (cause) {
    throw new SyntaxError(`line ${number} of the recording must be JSON`, { cause });
  }
  if (!isFields(row)) throw new SyntaxError(`line ${number} of the recording must be an object`);
  return row;
}

function lineOf(row: Fields): string {
  return typeof row["raw"] === "string" ? row["raw"] : JSON.stringify(row["msg"]);
}

function exitOf({ code, signal }: Fields, stderr: string): string {
  const how = typeof signal === "string" ? `signal ${signal}` : `exit code ${String(code)}`;
  return `the Claude CLI ended with ${how}${stderr === "" ? "" : `: ${stderr}`}`;
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
