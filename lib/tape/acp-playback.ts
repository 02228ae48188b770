/**
 * ACP cursor: how far an agent's side of a tape has been played.
 *
 * A client's request matches by its method, its session and what decides how it goes
 * on (a mode, an option, a permission's outcome); whatever the client calls its
 * requests, terminals and directory takes the place of the recorded names. What was
 * not recorded is answered with an error, and a turn that goes another way is given
 * up; what was recorded after it can still be played.
 */
import { parseJson } from "../wire/index.ts";
import { acceptedFrom, differs } from "./acp-match.ts";
import { type AcpRow, type AcpTape, idOf, methodOf, paramsOf, sessionIn } from "./acp-tape.ts";
import { renamed } from "./relocate.ts";
import type { PlaybackReply, Playback, PlaybackStep } from "./playback.ts";
import { type Fields, isFields, textOf } from "./tape-rows.ts";

export class AcpPlayback implements Playback<string> {
  readonly #isStrict: boolean;
  #rows: readonly AcpRow[];
  /** Rows that are over before their turn: heard already, or given up. */
  readonly #over = new Set<number>();
  /** The client's own ids of its requests, by the recorded ones. */
  readonly #ids = new Map<string, unknown>();
  /** The agent's requests, by their ids. */
  readonly #questions = new Map<string, Fields>();
  /** Recorded names and the client's own. */
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
    const row = this.#rows.find((one, i) => i >= this.#at && one.kind === "awaited" && !this.#over.has(i));
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
      if (this.#over.has(this.#at)) continue;
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
          // It ended because its client did, and this client has not.
          if (this.#hasHostEnded) return { kind: "rest" };
          this.#exitCode = row.code;
          return { kind: "exit", why: row.why, atMs };
      }
    }
  }

  hear(line: string): PlaybackReply {
    const msg = parseJson(line);
    if (!isFields(msg)) return { replies: [failure(null, -32700, "not valid JSON")] };
    const method = methodOf(msg);
    return method === undefined ? this.#answer(msg) : this.#call(msg, method);
  }

  skip(): void {
    this.#over.add(this.#at);
  }

  isGivenUp(step: PlaybackStep<string>): boolean {
    return step.kind === "say" && this.#over.has(step.row);
  }

  /** A request or a notification of the client. */
  #call(msg: Fields, method: string): PlaybackReply {
    const session = sessionIn(msg);
    // In its order, but for what is said in other sessions.
    const at = this.#rows.findIndex((row, i) => this.#isOpen(i) && isCallIn(row, session));
    const row = this.#rows[at];
    const recorded = row?.kind === "awaited" ? row.msg : undefined;
    const difference = recorded && differs(recorded, msg, this.#isStrict, (text) => this.#recordedNames(text));
    if (recorded === undefined || difference !== undefined) return this.#mismatch(msg, method, recorded, difference);
    this.#over.add(at);
    const id = idOf(recorded);
    if (id !== undefined) this.#ids.set(id, msg["id"]);
    this.#move(textOf(paramsOf(recorded)["cwd"]), textOf(paramsOf(msg)["cwd"]));
    return {};
  }

  #mismatch(msg: Fields, method: string, recorded: Fields | undefined, difference: string | undefined): PlaybackReply {
    if (method.startsWith("$/")) return {};
    const session = sessionIn(msg) ?? "";
    const sent = `${method}${difference === undefined || difference === "" ? "" : ` with another ${difference}`}`;
    const has = recorded === undefined ? this.remaining : this.#describe(recorded);
    const mismatch = mismatchOf(sent, difference ? "the one it had" : has);
    if (method === "session/cancel") {
      const replies = this.#giveUp(session, (id) => success(id, { stopReason: "cancelled" }));
      // With nothing to cancel it means nothing, to any agent.
      return replies.length === 0 ? {} : { mismatch, replies };
    }
    const isRequest = idOf(msg) !== undefined;
    return { mismatch, replies: isRequest ? [failure(msg["id"], -32600, mismatch)] : [] };
  }

  /** An answer of the client to a question of the agent. */
  #answer(msg: Fields): PlaybackReply {
    const id = idOf(msg);
    const at = this.#rows.findIndex((row, i) => this.#isOpen(i) && isAnswerTo(row, id));
    const row = this.#rows[at];
    const question = this.#questions.get(id ?? "");
    // An answer nobody waits for is ignored.
    if (row?.kind !== "awaited" || question === undefined) return {};
    this.#over.add(at);
    const [was, is] = [acceptedFrom(question, row.msg), acceptedFrom(question, msg)];
    if (was.name !== undefined && is.name !== undefined) this.#names.set(was.name, is.name);
    if (was.decision === is.decision) return {};
    const method = methodOf(question) ?? "";
    const mismatch = mismatchOf(`"${is.decision}" in answer to ${method}`, `"${was.decision}"`);
    const replies = this.#giveUp(sessionIn(question) ?? "", (own) => failure(own, -32600, mismatch), 1);
    return { mismatch, replies };
  }

  /** Gives up the turns that run in a session. */
  #giveUp(session: string, reply: (id: unknown) => string, most = Infinity): readonly string[] {
    const replies: string[] = [];
    for (const [i, row] of this.#rows.entries()) {
      const id = row.kind === "awaited" && methodOf(row.msg) === "session/prompt" ? idOf(row.msg) : undefined;
      if (id === undefined || row.kind !== "awaited" || sessionIn(row.msg) !== session || !this.#ids.has(id)) continue;
      const end = this.#rows.findIndex((one, k) => k > i && one.kind === "said" && isAnswerWith(one.msg, id));
      if (end < this.#at || this.#over.has(end) || replies.length >= most) continue;
      replies.push(reply(this.#ids.get(id)));
      for (let k = Math.max(0, this.#at - 1); k <= end; k++) if (this.#isOfTurn(k, session, id)) this.#over.add(k);
    }
    return replies;
  }

  /** What belongs to a turn: its updates, its questions and their answers, and its end. */
  #isOfTurn(index: number, session: string, id: string): boolean {
    const row = this.#rows[index];
    if (row?.kind === "said") return sessionIn(row.msg) === session || isAnswerWith(row.msg, id);
    if (row?.kind !== "awaited") return false;
    const question = isAnswer(row.msg) ? this.#questions.get(idOf(row.msg) ?? "") : row.msg;
    return question !== undefined && sessionIn(question) === session && methodOf(row.msg) !== "session/prompt";
  }

  #isOpen(index: number): boolean {
    return index >= this.#at && this.#rows[index]?.kind === "awaited" && !this.#over.has(index);
  }

  /** The line in the client's own names; undefined when it answers what this client never asked. */
  #translated(line: string, msg: Fields): string | undefined {
    let said = line;
    if (isAnswer(msg)) {
      const id = idOf(msg) ?? "";
      if (!this.#ids.has(id)) return undefined;
      const own = this.#ids.get(id);
      const current = parseJson(line);
      if (own !== msg["id"] && isFields(current)) said = JSON.stringify({ ...current, id: own });
    }
    for (const [recorded, own] of this.#names) said = said.replaceAll(JSON.stringify(recorded), JSON.stringify(own));
    return said;
  }

  #move(recorded: string | undefined, own: string | undefined): void {
    if (recorded === undefined || own === undefined || recorded === own) return;
    this.#names.set(recorded, own);
    this.#rows = renamed(this.#rows, recorded, own);
  }

  #recordedNames(text: string): string {
    let named = text;
    for (const [recorded, own] of this.#names) named = named.replaceAll(own, recorded);
    return named;
  }

  #describe(msg: Fields): string {
    const method = methodOf(msg);
    return method ?? `the answer to ${methodOf(this.#questions.get(idOf(msg) ?? "") ?? {}) ?? "nothing"}`;
  }
}

function isAnswer(msg: Fields): boolean {
  return methodOf(msg) === undefined && idOf(msg) !== undefined;
}

function isAnswerWith(msg: Fields, id: string | undefined): boolean {
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
