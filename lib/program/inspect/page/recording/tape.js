/**
 * Parses a tape into rows, each linked to its request or response, tool call, session
 * and turn.
 *
 * A pure function of the text. A message of any shape becomes a row; only a line that is
 * not JSON is an error.
 */
import { describe } from "./describe.js";
import { at, isObject } from "../json.js";
import { kindOf } from "./message-kinds.js";
import { noteTools } from "./tool-calls.js";
import { sessionsOf } from "./turns.js";
import { short, textOf } from "../format.js";

/** @typedef {import("./model.ts").MessageRow} Row */
/** @typedef {import("./model.ts").TapeSide} Side */
/** @typedef {import("./model.ts").TapeModel} Tape */
/** @typedef {import("./model.ts").Tool} Tool */
/** @typedef {Readonly<Record<string, unknown>>} Fields */

/** @param {string} text NDJSON. @returns {Tape} */
export function readTape(text) {
  const reader = new TapeReader();
  for (const line of text.split("\n")) reader.read(line);
  return reader.finish();
}

/** Reads a tape line by line, so that the page can pause in between. */
export class TapeReader {
  /** @type {Record<string, unknown>} */
  #meta = {};
  /** @type {Row[]} */
  #rows = [];
  /** @type {Map<string, Tool>} */
  #tools = new Map();
  /** Requests without a response so far. @type {Map<string, Row>} */
  #open = new Map();
  /** The same of the other tape, whose ids are its own. @type {Map<string, Row>} */
  #removedOpen = new Map();
  /** @type {Set<Side>} */
  #sides = new Set();
  #problems = 0;
  #chars = 0;
  #end = 0;

  /** @param {string} line */
  read(line) {
    /** @type {unknown} */
    const fields = line === "" ? undefined : JSON.parse(line);
    if (!isObject(fields)) return;
    if (fields["dir"] === "meta" && fields["session"] === undefined && fields["side"] === undefined) {
      Object.assign(this.#meta, fields);
      return;
    }
    if (fields["dir"] === "problem") {
      this.#problems++;
      const last = this.#rows.at(-1);
      if (last !== undefined) (last.problems ??= []).push(textOf(fields["about"]));
      return;
    }
    const row = rowOf(fields, line, this.#rows.length);
    this.#rows.push(row);
    const isRemoved = row.diff === "removed";
    this.#sides.add(row.side);
    this.#end = Math.max(this.#end, row.t);
    if (!isMessage(fields)) return;
    this.#chars += row.chars;
    readMessage(row, fields, isRemoved ? this.#removedOpen : this.#open);
    if (!isRemoved) noteTools(this.#tools, row, fields["msg"]);
  }

  /** Call once, after the last line. @returns {Tape} */
  finish() {
    const rows = this.#rows;
    nameLoneSession(rows);
    return {
      meta: this.#meta,
      rows,
      sides: this.#sides,
      sessions: sessionsOf(rows),
      tools: [...this.#tools.values()],
      problems: this.#problems,
      chars: this.#chars,
      end: this.#end,
    };
  }
}

/** @param {Fields} fields */
function isMessage({ dir, eof }) {
  return (dir === "in" || dir === "out") && !eof;
}

/** A row without what its message says. @param {Fields} fields @param {string} line @param {number} i @returns {Row} */
function rowOf(fields, line, i) {
  const { t, dir, msg, side, diff } = fields;
  const session = sessionIn(fields["session"]);
  return {
    i,
    t: typeof t === "number" && Number.isFinite(t) ? t : 0,
    side: sideOf(side ?? (at(msg, "jsonrpc") ? "acp" : "claude")),
    dir: textOf(dir),
    line,
    chars: isMessage(fields) ? Math.max(0, line.length - line.indexOf('"msg":') - 7) : 0,
    ...describeEvent(fields),
    kind: "process",
    isAnswer: false,
    isError: false,
    ...(session !== undefined && { session }),
    ...((diff === "added" || diff === "removed" || diff === "changed") && { diff }),
  };
}

/** Name and text of a row that is not a message. @param {Fields} fields */
function describeEvent({ dir, side, text, cwd, signal, code }) {
  if (dir === "in" || dir === "out") return { name: "end of input", say: "" };
  const said = text ?? cwd ?? (dir === "exit" ? (signal ?? `code ${textOf(code)}`) : "");
  return { name: dir === "meta" ? `${sideOf(side)} starts` : textOf(dir), say: short(said) };
}

/** @param {unknown} side @returns {Side} */
function sideOf(side) {
  return side === "acp" || side === "codex" ? side : "claude";
}

/** @param {Row} row @param {Fields} fields @param {Map<string, Row>} open */
function readMessage(row, { msg, raw }, open) {
  const request = requestOf(row, msg, open);
  const said = isObject(msg) ? describe(row.side, msg, request?.name) : { name: "not JSON", say: short(raw) };
  Object.assign(row, said);
  row.kind = kindOf(row, msg);
  row.isError =
    at(msg, "error") !== undefined ||
    at(msg, "is_error") === true ||
    at(msg, "response", "subtype") === "error" ||
    at(msg, "params", "update", "status") === "failed";
  const session =
    row.session ??
    sessionIn(at(msg, "params", row.side === "codex" ? "threadId" : "sessionId")) ??
    request?.session ??
    sessionIn(at(msg, "result", "sessionId") ?? at(msg, "result", "thread", "id"));
  if (session === undefined) return;
  row.session = session;
  if (request !== undefined) request.session ??= session;
}

/**
 * Links a response to its request and returns the request; remembers a request in `open`.
 * @param {Row} row @param {unknown} msg @param {Map<string, Row>} open
 */
function requestOf(row, msg, open) {
  const isRpc = row.side !== "claude";
  const id = isRpc ? at(msg, "id") : (at(msg, "request_id") ?? at(msg, "response", "request_id"));
  if (id === undefined) return undefined;
  const isRequest = isRpc ? at(msg, "method") !== undefined : at(msg, "type") === "control_request";
  // A response has the opposite direction of its request.
  const way = isRequest === (row.dir === "in") ? "in" : "out";
  const key = `${row.side} ${row.session ?? ""} ${way} ${JSON.stringify(id)}`;
  if (isRequest) {
    open.set(key, row);
    return undefined;
  }
  row.isAnswer = isRpc;
  const request = open.get(key);
  if (request === undefined) return undefined;
  open.delete(key);
  const ms = row.t - request.t;
  Object.assign(row, { pair: request, isAnswer: true, ms });
  Object.assign(request, { pair: row, ms });
  return request;
}

/** Assigns the CLI's rows to the editor's session when there is only one. @param {readonly Row[]} rows */
function nameLoneSession(rows) {
  const known = new Set();
  for (const { side, session } of rows) if (side === "acp" && session !== undefined) known.add(session);
  if (known.size > 1) return;
  const [only = ""] = known;
  for (const row of rows) if (row.side !== "acp") row.session ??= only;
}

/** @param {unknown} value */
function sessionIn(value) {
  return value === undefined || value === null ? undefined : textOf(value);
}
