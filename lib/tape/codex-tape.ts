/**
 * The recorded traffic between `codex app-server` and its host, one tape per process.
 *
 * One app-server serves several threads, and a host that plays a tape need not open the same
 * threads at the same times. So a tape consists of sequences that are played independently:
 * the messages of one thread, or a request with its response.
 */
import { describeExit, type RowFields, isFields, type Row, textOf } from "./tape-rows.ts";

export type CodexTapeRow = { readonly atMs: number; readonly order: number } & (
  | {
      readonly kind: "said";
      readonly line: string;
      /** The id of the host's request that it answers, as JSON. */
      readonly answers: string | undefined;
    }
  | { readonly kind: "awaited"; readonly message: HostMessage }
);

/** A message that the host has to send before a sequence continues. */
export type HostMessage =
  | { readonly type: "request"; readonly id: string; readonly method: string; readonly params: RowFields }
  | { readonly type: "answer"; readonly id: string; readonly result: RowFields };

export interface CodexSequence {
  readonly rows: readonly CodexTapeRow[];
  /** False for a thread that the host opened without using it. */
  readonly isUsed: boolean;
}

export interface CodexTape {
  readonly sequences: readonly CodexSequence[];
  /** How the process ended; undefined when the host ended it. */
  readonly exit: { readonly atMs: number; readonly why: string } | undefined;
}

/** The probe for an app-server that hangs; when it is sent depends on the clock. */
const probeMethod = "thread/loaded/list";
/** The requests that open a thread; their response names it. */
const openingMethods: ReadonlySet<string> = new Set(["thread/start", "thread/fork"]);
const unusedMethods: ReadonlySet<string> = new Set([...openingMethods, "thread/settings/update", "thread/unsubscribe"]);

/** The app-servers of a recording, in order. Rows without a side count if no row has one. */
export function codexTapes(all: readonly Row[]): readonly CodexTape[] {
  const isOwn = all.some((row) => row.side === "codex");
  const rows = isOwn ? all.filter((row) => row.side === "codex") : all.filter((row) => row.side !== "acp");
  const runs: Row[][] = [];
  for (const row of rows) {
    const run = runs.at(-1);
    if (run === undefined || row.kind === "meta") runs.push([row]);
    else run.push(row);
  }
  return runs.filter((run) => run.some(isCodexMessage)).map(tapeOf);
}

/** Whether the recording has something of Codex's side. */
export function hasCodex(rows: readonly Row[]): boolean {
  return rows.some(isCodexMessage);
}

/** Reads a line of the host; undefined for a notification and for what is no message. */
export function readHostMessage(message: unknown): HostMessage | undefined {
  if (!isFields(message) || message["id"] === undefined) return undefined;
  const id = JSON.stringify(message["id"]);
  const method = textOf(message["method"]);
  if (method !== undefined) return { type: "request", id, method, params: fieldsOf(message["params"]) };
  return { type: "answer", id, result: fieldsOf(message["result"]) };
}

/** A message of the host as a short text for error messages. */
export function describeHostMessage(message: HostMessage): string {
  if (message.type === "request") return `the request ${message.method}`;
  const decision = decisionOf(message.result);
  return `the answer ${decision === undefined ? "" : `${decision} `}to request ${message.id}`;
}

/** What an answer decides, as JSON; undefined when it decides nothing. */
export function decisionOf(result: RowFields): string | undefined {
  return JSON.stringify(result["decision"] ?? result["action"]);
}

export function fieldsOf(value: unknown): RowFields {
  return isFields(value) ? value : {};
}

function isCodexMessage(row: Row): boolean {
  if (row.kind !== "message" || row.side === "acp" || !isFields(row.msg)) return false;
  return row.side === "codex" || (row.msg["type"] === undefined && ("method" in row.msg || "id" in row.msg));
}

function tapeOf(all: readonly Row[]): CodexTape {
  const sequences = new SequenceFinder(all);
  const rows = new Map<string, CodexTapeRow[]>();
  let stderr = "";
  let hasHostEnded = false;
  let exit: CodexTape["exit"];
  for (const [order, row] of all.entries()) {
    const { atMs } = row;
    if (row.kind === "stderr") stderr = row.text.trim().split("\n").at(-1) ?? "";
    if (row.kind === "eof") hasHostEnded = true;
    if (row.kind === "exit" && !hasHostEnded) {
      exit = { atMs, why: `Codex ended with ${describeExit(row)}${stderr === "" ? "" : `: ${stderr}`}` };
    }
    if (row.kind !== "message" || !isFields(row.msg)) continue;
    const { name, answers } = sequences.place(row.dir, row.msg, row.line);
    if (name === undefined) continue;
    const message = row.dir === "in" ? readHostMessage(row.msg) : undefined;
    if (row.dir === "in" && message === undefined) continue;
    const sequence = rows.get(name) ?? [];
    rows.set(name, sequence);
    sequence.push(
      message === undefined
        ? { kind: "said", atMs, order, line: row.line, answers }
        : { kind: "awaited", atMs, order, message },
    );
  }
  return { sequences: [...rows.values()].map((own) => ({ rows: own, isUsed: own.some(isUse) })), exit };
}

function isUse(row: CodexTapeRow): boolean {
  return row.kind === "awaited" && row.message.type === "request" && !unusedMethods.has(row.message.method);
}

/** Tells which sequence a message belongs to. */
class SequenceFinder {
  /** The thread that each request opened, by the request's id. */
  readonly #opened = new Map<string, string>();
  /** The sequences of requests without a response yet, by direction and id; undefined for one that is not played. */
  readonly #open = { in: new Map<string, string | undefined>(), out: new Map<string, string | undefined>() };
  readonly #threads = new Set<string>();
  /** The sequences of subagents' threads: those of their parents. */
  readonly #children = new Map<string, string>();
  readonly #lines: (readonly [name: string, line: string])[] = [];
  #lastThread = "";

  constructor(rows: readonly Row[]) {
    for (const row of rows) {
      if (row.kind !== "message" || row.dir !== "out" || !isFields(row.msg)) continue;
      const thread = textOf(fieldsOf(fieldsOf(row.msg["result"])["thread"])["id"]);
      if (thread !== undefined) this.#opened.set(JSON.stringify(row.msg["id"]), thread);
    }
  }

  /** `name` is undefined for a message that is not played. */
  place(
    dir: "in" | "out",
    msg: RowFields,
    line: string,
  ): { readonly name: string | undefined; readonly answers?: string } {
    const id = msg["id"] === undefined ? undefined : JSON.stringify(msg["id"]);
    const method = textOf(msg["method"]);
    if (method === undefined && id !== undefined) {
      const asked = this.#open[dir === "in" ? "out" : "in"];
      const name = asked.get(id);
      asked.delete(id);
      if (name !== undefined && dir === "out") this.#lines.push([name, line]);
      return { name, ...(dir === "out" && { answers: id }) };
    }
    const name = method === probeMethod ? undefined : this.#sequenceOf(dir, method, fieldsOf(msg["params"]), id);
    if (id !== undefined) this.#open[dir].set(id, name);
    if (name !== undefined && dir === "out") this.#lines.push([name, line]);
    return { name };
  }

  #sequenceOf(dir: "in" | "out", method: string | undefined, params: RowFields, id: string | undefined): string {
    const opened = openingMethods.has(method ?? "") && id !== undefined ? this.#opened.get(id) : undefined;
    const thread = opened ?? textOf(params["threadId"]);
    if (thread === undefined) return dir === "out" || method === "initialize" ? "process" : `request ${id}`;
    if (dir === "in") this.#threads.add(thread);
    if (this.#threads.has(thread)) return (this.#lastThread = thread);
    const parent = this.#children.get(thread) ?? this.#parentOf(thread);
    this.#children.set(thread, parent);
    return parent;
  }

  /** A subagent's thread is named by an item of its parent. */
  #parentOf(thread: string): string {
    return this.#lines.find(([, line]) => line.includes(thread))?.[0] ?? this.#lastThread;
  }
}
