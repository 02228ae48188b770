/**
 * Plays Codex's side of a tape to its host (the program that started the app-server).
 *
 * A request matches the next recorded one with its method and thread, an answer by the
 * request it answers and its decision. The host's request ids, message ids and directories
 * replace the recorded ones. Uses no stream and no clock.
 */
import { parseBoundedJson } from "../../wire/index.ts";
import {
  type CodexTape,
  type CodexTapeRow,
  decisionOf,
  describeHostMessage,
  fieldsOf,
  type HostMessage,
  readHostMessage,
} from "../codex-tape.ts";
import type { Playback, PlaybackReply, PlaybackStep } from "./playback.ts";
import { renamed } from "./relocate.ts";
import { textOf } from "../tape-rows.ts";

/** Answers to requests that a tape of another host may lack. */
const defaultResults: Readonly<Record<string, unknown>> = {
  "account/read": { account: null, requiresOpenaiAuth: false },
  "config/read": { config: {} },
  "model/list": { data: [], nextCursor: null },
  "thread/backgroundTerminals/clean": {},
  "thread/backgroundTerminals/list": { data: [] },
  "thread/list": { data: [], nextCursor: null },
  "thread/loaded/list": { data: [], nextCursor: null },
  "thread/settings/update": {},
  "thread/unsubscribe": { status: "unsubscribed" },
};

interface PlayedSequence {
  rows: readonly CodexTapeRow[];
  readonly isUsed: boolean;
  /** The index of the next row. */
  at: number;
}

type AwaitedRow = Extract<CodexTapeRow, { readonly kind: "awaited" }>;

export class CodexPlayback implements Playback<HostMessage> {
  readonly #sequences: readonly PlayedSequence[];
  readonly #exit: CodexTape["exit"];
  /** Awaited rows that the host has sent, or that were skipped. */
  readonly #received = new Set<CodexTapeRow>();
  /** The host's request ids by the recorded ones, both as JSON. */
  readonly #requests = new Map<string, string>();
  /** The host's message ids by the recorded ones. */
  readonly #messages = new Map<string, string>();
  /** Requests of Codex that need no answer any more. */
  readonly #withdrawn = new Set<string>();
  #awaited: AwaitedRow | undefined;

  constructor({ sequences, exit }: CodexTape) {
    this.#sequences = sequences.map((sequence) => ({ ...sequence, at: 0 }));
    this.#exit = exit;
  }

  next(): PlaybackStep<HostMessage> {
    this.#awaited = undefined;
    const heads = this.#sequences.flatMap((sequence) => {
      const row = this.#headOf(sequence);
      return row === undefined ? [] : [{ sequence, row }];
    });
    heads.sort((left, right) => left.row.order - right.row.order);
    for (const { sequence, row } of heads) {
      if (row.kind !== "said") continue;
      sequence.at++;
      return { kind: "say", line: this.#translated(row.line, row.answers), atMs: row.atMs, row: row.order };
    }
    const begun = heads.find(({ sequence }) => sequence.at > 0);
    if (begun === undefined && this.#exit !== undefined && this.#received.size > 0) {
      return { kind: "exit", ...this.#exit };
    }
    // A sequence that has not begun holds up nothing.
    if (begun?.row.kind !== "awaited") return { kind: "rest" };
    this.#awaited = begun.row;
    return { kind: "wait", frame: begun.row.message, atMs: begun.row.atMs };
  }

  hear(line: string): PlaybackReply {
    const message = readHostMessage(parseBoundedJson(line));
    if (message === undefined) return {};
    return message.type === "request" ? this.#takeRequest(message) : this.#takeAnswer(message);
  }

  skip(): void {
    if (this.#awaited !== undefined) this.#received.add(this.#awaited);
  }

  /** The next row of a sequence that is to be said or awaited. */
  #headOf(sequence: PlayedSequence): CodexTapeRow | undefined {
    for (; ; sequence.at++) {
      const row = sequence.rows[sequence.at];
      if (row === undefined) return undefined;
      if (row.kind === "said") {
        // The response to a request that was skipped.
        if (row.answers !== undefined && !this.#requests.has(row.answers)) continue;
        return row;
      }
      const isWithdrawn = row.message.type === "answer" && this.#withdrawn.has(row.message.id);
      if (!this.#received.has(row) && !isWithdrawn) return row;
    }
  }

  #takeRequest(message: Extract<HostMessage, { readonly type: "request" }>): PlaybackReply {
    const { id, method, params } = message;
    const row = this.#find((one) => isSameRequest(one, message));
    if (row?.message.type !== "request") {
      const result = defaultResults[method];
      if (result === undefined) return { mismatch: this.#mismatch(message) };
      return { replies: [JSON.stringify({ id: parseBoundedJson(id), result })] };
    }
    const recorded = row.message;
    this.#received.add(row);
    this.#requests.set(recorded.id, id);
    const key = "clientUserMessageId";
    const [was, is] = [textOf(recorded.params[key]), textOf(params[key])];
    if (was !== undefined && is !== undefined) this.#messages.set(was, is);
    this.#relocate(textOf(recorded.params["cwd"]), textOf(params["cwd"]));
    return {};
  }

  #takeAnswer(message: Extract<HostMessage, { readonly type: "answer" }>): PlaybackReply {
    const row = this.#find((one) => one.type === "answer" && one.id === message.id);
    // An answer to no open request is ignored, as Codex does.
    if (row?.message.type !== "answer") return {};
    if (decisionOf(row.message.result) !== decisionOf(message.result)) {
      return { mismatch: this.#mismatch(message, row.message) };
    }
    this.#received.add(row);
    return {};
  }

  /** The first awaited row that matches. Threads that were opened without being used come last. */
  #find(isMatch: (message: HostMessage) => boolean): AwaitedRow | undefined {
    const found = this.#sequences.flatMap(({ rows, isUsed }) => {
      const row = rows.find(
        (one): one is AwaitedRow => one.kind === "awaited" && !this.#received.has(one) && isMatch(one.message),
      );
      return row === undefined ? [] : [{ row, isUsed }];
    });
    found.sort((left, right) => Number(right.isUsed) - Number(left.isUsed) || left.row.order - right.row.order);
    return found[0]?.row;
  }

  #relocate(from: string | undefined, to: string | undefined): void {
    if (from === undefined || to === undefined || from === to) return;
    for (const sequence of this.#sequences) sequence.rows = renamed(sequence.rows, from, to);
  }

  #translated(line: string, answers: string | undefined): string {
    let translated = line;
    for (const [recorded, own] of this.#messages) translated = translated.replaceAll(recorded, own);
    const own = answers === undefined ? undefined : this.#requests.get(answers);
    if (own !== undefined) {
      return JSON.stringify({ ...fieldsOf(parseBoundedJson(translated)), id: parseBoundedJson(own) });
    }
    if (translated.includes('"serverRequest/resolved"')) {
      const { requestId } = fieldsOf(fieldsOf(parseBoundedJson(translated))["params"]);
      this.#withdrawn.add(JSON.stringify(requestId));
    }
    return translated;
  }

  #mismatch(received: HostMessage, recorded: HostMessage | undefined = this.#expected()): string {
    const has = recorded === undefined ? "nothing more from the host" : describeHostMessage(recorded);
    return `the host departs from the tape: it sent ${describeHostMessage(received)}, the recording has ${has}`;
  }

  #expected(): HostMessage | undefined {
    const step = this.#sequences
      .map((sequence) => this.#headOf(sequence))
      .filter((row): row is AwaitedRow => row?.kind === "awaited")
      .sort((left, right) => left.order - right.order)[0];
    return step?.message;
  }
}

function isSameRequest(
  recorded: HostMessage,
  { method, params }: Extract<HostMessage, { readonly type: "request" }>,
): boolean {
  if (recorded.type !== "request" || recorded.method !== method) return false;
  return recorded.params["threadId"] === params["threadId"];
}
