/**
 * Plays the agent's side of a tape to an ACP client.
 *
 * A client's request matches by method, session and the parameters that decide how the
 * agent continues (mode, option, permission outcome). The client's own request ids,
 * terminal ids and directory replace the recorded ones. A request that was not recorded
 * gets an error. A turn that takes another course is abandoned; later ones still play.
 */
import { parseBoundedJson } from "../../wire/index.ts";
import { acceptedFrom, differs } from "./acp-match.ts";
import { type AcpRow, type AcpTape, idOf, methodOf, paramsOf, sessionIn } from "../acp-tape.ts";
import { renamed } from "./relocate.ts";
import type { PlaybackReply, Playback, PlaybackStep } from "./playback.ts";
import { type RowFields, isFields, textOf } from "../tape-rows.ts";

export class AcpPlayback implements Playback<string> {
  readonly #isStrict: boolean;
  #rows: readonly AcpRow[];
  /** Indexes of rows that need not be played: received ahead of order, skipped, or abandoned. */
  readonly #done = new Set<number>();
  /** The client's request ids by the recorded ones. */
  readonly #ids = new Map<string, unknown>();
  /** The agent's recorded requests by id. */
  readonly #questions = new Map<string, RowFields>();
  /** The client's names (terminals, directory) by the recorded ones. */
  readonly #names = new Map<string, string>();
  #at = 0;
  #hasHostEnded = false;
  #exitCode: number | undefined;

  constructor({ rows }: AcpTape, isStrict: boolean) {
    this.#rows = rows;
    this.#isStrict = isStrict;
    for (const row of rows) {
      const id = row.kind === "said" && methodOf(row.msg) !== undefined ? idOf(row.msg) : undefined;
      if (row.kind === "said" && id !== undefined) this.#questions.set(id, row.msg);
    }
  }

  get isAsked(): boolean {
    return this.#rows.some(
      (row, i) => i >= this.#at && row.kind === "said" && isAnswer(row.msg) && this.#ids.has(idOf(row.msg) ?? ""),
    );
  }

  get remaining(): string | undefined {
    const row = this.#rows.find((one, i) => i >= this.#at && one.kind === "awaited" && !this.#done.has(i));
    return row?.kind === "awaited" ? this.#describe(row.msg) : undefined;
  }

  get exitCode(): number | undefined {
    return this.#exitCode;
  }

  next(): PlaybackStep<string> {
    for (; ; this.#at++) {
      const row = this.#rows[this.#at];
      if (row === undefined) return { kind: "rest" };
      const { atMs } = row;
      if (this.#done.has(this.#at)) continue;
      switch (row.kind) {
        case "said": {
          const line = this.#translated(row.line, row.msg);
          if (line === undefined) break;
          return { kind: "say", line, atMs, row: this.#at++ };
        }
        case "awaited":
          return { kind: "wait", frame: this.#describe(row.msg), atMs };
        case "host-ended":
          this.#hasHostEnded = true;
          break;
        case "exit":
          // The recorded agent exited because its client closed the link; this client has not.
          if (this.#hasHostEnded) return { kind: "rest" };
          this.#exitCode = row.code;
          return { kind: "exit", why: row.why, atMs };
      }
    }
  }

  hear(line: string): PlaybackReply {
    const msg = parseBoundedJson(line);
    if (!isFields(msg)) return { replies: [failure(null, -32700, "not valid JSON")] };
    const method = methodOf(msg);
    return method === undefined ? this.#answer(msg) : this.#call(msg, method);
  }

  skip(): void {
    this.#done.add(this.#at);
  }

  isGivenUp(step: PlaybackStep<string>): boolean {
    return step.kind === "say" && this.#done.has(step.row);
  }

  /** Handles a request or notification of the client. */
  #call(msg: RowFields, method: string): PlaybackReply {
    const session = sessionIn(msg);
    // Calls have to come in the recorded order within a session; sessions are independent.
    const at = this.#rows.findIndex((row, i) => this.#isOpen(i) && isCallIn(row, session));
    const row = this.#rows[at];
    const recorded = row?.kind === "awaited" ? row.msg : undefined;
    const difference = recorded && differs(recorded, msg, this.#isStrict, (text) => this.#toRecordedNames(text));
    if (recorded === undefined || difference !== undefined) return this.#mismatch(msg, method, recorded, difference);
    this.#done.add(at);
    const id = idOf(recorded);
    if (id !== undefined) this.#ids.set(id, msg["id"]);
    this.#renameDirectory(textOf(paramsOf(recorded)["cwd"]), textOf(paramsOf(msg)["cwd"]));
    return {};
  }

  #mismatch(
    msg: RowFields,
    method: string,
    recorded: RowFields | undefined,
    difference: string | undefined,
  ): PlaybackReply {
    if (method.startsWith("$/")) return {};
    const session = sessionIn(msg) ?? "";
    const sent = `${method}${difference === undefined || difference === "" ? "" : ` with another ${difference}`}`;
    const has = recorded === undefined ? this.remaining : this.#describe(recorded);
    const mismatch = mismatchOf(sent, difference ? "the one it had" : has);
    if (method === "session/cancel") {
      const replies = this.#giveUp(session, (id) => success(id, { stopReason: "cancelled" }));
      // A cancel without a running turn has no effect on any agent, so it is no mismatch.
      return replies.length === 0 ? {} : { mismatch, replies };
    }
    const isRequest = idOf(msg) !== undefined;
    return { mismatch, replies: isRequest ? [failure(msg["id"], -32600, mismatch)] : [] };
  }

  /** Handles the client's response to a request of the agent. */
  #answer(msg: RowFields): PlaybackReply {
    const id = idOf(msg);
    const at = this.#rows.findIndex((row, i) => this.#isOpen(i) && isAnswerTo(row, id));
    const row = this.#rows[at];
    const question = this.#questions.get(id ?? "");
    // A response without a pending request is ignored.
    if (row?.kind !== "awaited" || question === undefined) return {};
    this.#done.add(at);
    const [was, is] = [acceptedFrom(question, row.msg), acceptedFrom(question, msg)];
    if (was.name !== undefined && is.name !== undefined) this.#names.set(was.name, is.name);
    if (was.decision === is.decision) return {};
    const method = methodOf(question) ?? "";
    const mismatch = mismatchOf(`"${is.decision}" in answer to ${method}`, `"${was.decision}"`);
    const replies = this.#giveUp(sessionIn(question) ?? "", (own) => failure(own, -32600, mismatch), 1);
    return { mismatch, replies };
  }

  /** Abandons at most `most` running turns of a session and returns the responses that end them. */
  #giveUp(session: string, reply: (id: unknown) => string, most = Infinity): readonly string[] {
    const replies: string[] = [];
    for (const [i, row] of this.#rows.entries()) {
      const id = row.kind === "awaited" && methodOf(row.msg) === "session/prompt" ? idOf(row.msg) : undefined;
      if (id === undefined || row.kind !== "awaited" || sessionIn(row.msg) !== session || !this.#ids.has(id)) continue;
      const end = this.#rows.findIndex((one, k) => k > i && one.kind === "said" && isAnswerWith(one.msg, id));
      if (end < this.#at || this.#done.has(end) || replies.length >= most) continue;
      replies.push(reply(this.#ids.get(id)));
      for (let k = Math.max(0, this.#at - 1); k <= end; k++) if (this.#isOfTurn(k, session, id)) this.#done.add(k);
    }
    return replies;
  }

  /** Whether a row belongs to the turn: an update, a request of the agent, its response, or the turn's end. */
  #isOfTurn(index: number, session: string, id: string): boolean {
    const row = this.#rows[index];
    if (row?.kind === "said") return sessionIn(row.msg) === session || isAnswerWith(row.msg, id);
    if (row?.kind !== "awaited") return false;
    const question = isAnswer(row.msg) ? this.#questions.get(idOf(row.msg) ?? "") : row.msg;
    return question !== undefined && sessionIn(question) === session && methodOf(row.msg) !== "session/prompt";
  }

  /** Whether the client still has to send the message of this row. */
  #isOpen(index: number): boolean {
    return index >= this.#at && this.#rows[index]?.kind === "awaited" && !this.#done.has(index);
  }

  /** The line with the client's names; undefined when it responds to a request that this client never sent. */
  #translated(line: string, msg: RowFields): string | undefined {
    let translated = line;
    if (isAnswer(msg)) {
      const id = idOf(msg) ?? "";
      if (!this.#ids.has(id)) return undefined;
      const own = this.#ids.get(id);
      const current = parseBoundedJson(line);
      if (own !== msg["id"] && isFields(current)) translated = JSON.stringify({ ...current, id: own });
    }
    for (const [recorded, own] of this.#names) {
      translated = translated.replaceAll(JSON.stringify(recorded), JSON.stringify(own));
    }
    return translated;
  }

  #renameDirectory(recorded: string | undefined, own: string | undefined): void {
    if (recorded === undefined || own === undefined || recorded === own) return;
    this.#names.set(recorded, own);
    this.#rows = renamed(this.#rows, recorded, own);
  }

  #toRecordedNames(text: string): string {
    let renamedText = text;
    for (const [recorded, own] of this.#names) renamedText = renamedText.replaceAll(own, recorded);
    return renamedText;
  }

  #describe(msg: RowFields): string {
    const method = methodOf(msg);
    return method ?? `the answer to ${methodOf(this.#questions.get(idOf(msg) ?? "") ?? {}) ?? "nothing"}`;
  }
}

function isAnswer(msg: RowFields): boolean {
  return methodOf(msg) === undefined && idOf(msg) !== undefined;
}

function isAnswerWith(msg: RowFields, id: string | undefined): boolean {
  return isAnswer(msg) && idOf(msg) === id;
}

function isAnswerTo(row: AcpRow, id: string | undefined): boolean {
  return row.kind === "awaited" && isAnswerWith(row.msg, id);
}

function isCallIn(row: AcpRow, session: string | undefined): boolean {
  return row.kind === "awaited" && methodOf(row.msg) !== undefined && sessionIn(row.msg) === session;
}

function mismatchOf(sent: string, has: string | undefined): string {
  return `the client departs from the tape: it sent ${sent}, the recording has ${has ?? "nothing more"}`;
}

function success(id: unknown, result: unknown): string {
  return JSON.stringify({ jsonrpc: "2.0", id, result });
}

function failure(id: unknown, code: number, message: string): string {
  return JSON.stringify({ jsonrpc: "2.0", id, error: { code, message } });
}
