/**
 * Plays the CLI's side of a tape to its host (the program that started the CLI).
 *
 * Matching is loose: any prompt matches the next recorded prompt, a control request
 * matches by subtype, a response by the request it answers and its behavior. The host's
 * ids replace the recorded ones. A control request that the recorded host sent at another
 * time is answered at once, with the recorded answer. Uses no stream and no clock.
 */
import { parseBoundedJson } from "../../wire/index.ts";
import type { PlaybackReply, Playback, PlaybackStep } from "./playback.ts";
import { type RowFields, isFields } from "../tape-rows.ts";
import { type AwaitedFrame, describeFrame, readFrame, type Tape, type TapeRow } from "../claude-tape.ts";

export class ClaudePlayback implements Playback<AwaitedFrame> {
  readonly #rows: readonly TapeRow[];
  /** Awaited rows that the host has sent, or that were skipped. */
  readonly #received = new Set<TapeRow>();
  /** Awaited rows that were skipped and not sent since. */
  readonly #skipped = new Set<TapeRow>();
  /** Rows of the CLI that were sent before their time. */
  readonly #saidEarly = new Set<TapeRow>();
  /** Requests that the CLI cancelled: the host need not answer them. */
  readonly #cancelled = new Set<string>();
  /** The host's request ids by the recorded ones. */
  readonly #requests = new Map<string, string>();
  /** The host's prompt uuids by the recorded ones. */
  readonly #prompts = new Map<string, string>();
  #at = 0;
  #hasHostEnded = false;

  constructor({ rows }: Tape) {
    this.#rows = rows;
  }

  next(): PlaybackStep<AwaitedFrame> {
    for (;;) {
      const row = this.#rows[this.#at];
      if (row === undefined) return { kind: "rest" };
      switch (row.kind) {
        case "said":
          this.#at++;
          if (this.#saidEarly.has(row)) continue;
          return { kind: "say", line: this.#translated(row.line), atMs: row.atMs, row: this.#at };
        case "awaited":
          if (!this.#received.has(row) && !this.#isCancelled(row.frame)) {
            return { kind: "wait", frame: row.frame, atMs: row.atMs };
          }
          break;
        case "host-ended":
          this.#hasHostEnded = true;
          break;
        case "exit":
          // The recorded CLI exited because its host closed stdin; this host has not.
          return this.#hasHostEnded ? { kind: "rest" } : { kind: "exit", why: row.why, atMs: row.atMs };
      }
      this.#at++;
    }
  }

  hear(line: string): PlaybackReply {
    const early = this.#answerEarly(line);
    return early === undefined ? { mismatch: this.#take(line) } : { replies: [early] };
  }

  skip(): void {
    const row = this.#rows[this.#at];
    if (row?.kind !== "awaited") return;
    this.#received.add(row);
    this.#skipped.add(row);
  }

  /** The recorded answer to a request whose place in the tape is over, or comes after something that the host has not sent. */
  #answerEarly(line: string): string | undefined {
    const frame = readFrame(parseBoundedJson(line));
    if (frame?.type !== "request" || sentInOrder.has(frame.subtype)) return undefined;
    const same = this.#rows.filter((row) => isMatch(row, frame));
    const next = same.find((row) => !this.#received.has(row));
    if (next !== undefined && !this.#isBlocked(next)) return undefined;
    const isSame = (row: TapeRow): boolean =>
      row.kind === "awaited" && row.frame.type === "request" && row.frame.request["mode"] === frame.request["mode"];
    const skipped = same.filter((row) => this.#skipped.has(row));
    const row = skipped.find(isSame) ?? next ?? skipped[0];
    if (row?.kind !== "awaited" || row.frame.type !== "request") return undefined;
    const recorded = this.#rows.flatMap((one) => {
      const answer =
        one.kind === "said" && one.line.includes('"control_response"') ? parseBoundedJson(one.line) : undefined;
      return isFields(answer) && answersTo(answer, row.frame) ? [{ row: one, answer }] : [];
    })[0];
    if (recorded === undefined) return undefined;
    this.#received.add(row);
    this.#skipped.delete(row);
    this.#saidEarly.add(recorded.row);
    this.#requests.set(row.frame.id, frame.id);
    return this.#withHostId(recorded.answer, line);
  }

  /** The tape waits for something else before this row. */
  #isBlocked(row: TapeRow): boolean {
    return this.#rows
      .slice(this.#at, this.#rows.indexOf(row))
      .some((one) => one.kind === "awaited" && !this.#received.has(one) && !this.#isCancelled(one.frame));
  }

  /** Returns how the host departs from the tape, or undefined. */
  #take(line: string): string | undefined {
    const frame = readFrame(parseBoundedJson(line));
    if (frame === undefined) return undefined;
    const row = this.#rows.slice(this.#at).find((one) => !this.#received.has(one) && isMatch(one, frame));
    // A response without a pending request is ignored, as the CLI does.
    if (row?.kind !== "awaited") return frame.type === "answer" || isPoll(frame) ? undefined : this.#mismatch(frame);
    const recorded = row.frame;
    if (recorded.type === "answer" && frame.type === "answer" && behaviorOf(recorded) !== behaviorOf(frame)) {
      return this.#mismatch(frame, recorded);
    }
    this.#received.add(row);
    if (recorded.type === "user" && frame.type === "user" && recorded.uuid !== undefined && frame.uuid !== undefined) {
      this.#prompts.set(recorded.uuid, frame.uuid);
    }
    if (recorded.type === "request" && frame.type === "request") this.#requests.set(recorded.id, frame.id);
    return undefined;
  }

  #isCancelled(frame: AwaitedFrame): boolean {
    return frame.type === "answer" && this.#cancelled.has(frame.id);
  }

  #mismatch(received: AwaitedFrame, recorded?: AwaitedFrame): string {
    const step = this.#rows.slice(this.#at).find((row) => row.kind === "awaited" && !this.#received.has(row));
    const expected = recorded ?? (step?.kind === "awaited" ? step.frame : undefined);
    const has = expected === undefined ? "nothing more from the host" : describeFrame(expected);
    return `the host departs from the tape: it sent ${describeFrame(received)}, the recording has ${has}`;
  }

  #translated(line: string): string {
    let translated = line;
    for (const [recorded, own] of this.#prompts) translated = translated.replaceAll(recorded, own);
    if (!translated.includes('"control_')) return translated;
    const frame = parseBoundedJson(translated);
    if (!isFields(frame)) return translated;
    if (frame["type"] === "control_cancel_request") this.#cancelled.add(String(frame["request_id"]));
    return frame["type"] === "control_response" ? this.#withHostId(frame, translated) : translated;
  }

  /** A recorded response with the id of the host's own request. */
  #withHostId(frame: RowFields, line: string): string {
    const { response } = frame;
    const own = isFields(response) ? this.#requests.get(String(response["request_id"])) : undefined;
    if (own === undefined || !isFields(response)) return line;
    return JSON.stringify({ ...frame, response: { ...response, request_id: own } });
  }
}

/** Requests whose place in the conversation matters. */
const sentInOrder: ReadonlySet<string> = new Set(["initialize", "interrupt"]);

function answersTo({ response }: RowFields, frame: AwaitedFrame): boolean {
  return frame.type === "request" && isFields(response) && response["request_id"] === frame.id;
}

/** How often a host asks for the output of a running command depends on the clock, not on the conversation. */
function isPoll(frame: AwaitedFrame): boolean {
  return frame.type === "request" && frame.subtype === "get_task_output";
}

function isMatch(row: TapeRow, received: AwaitedFrame): boolean {
  if (row.kind !== "awaited") return false;
  const { frame } = row;
  if (frame.type === "request" && received.type === "request") return frame.subtype === received.subtype;
  if (frame.type === "answer" && received.type === "answer") return frame.id === received.id;
  return frame.type === "user" && received.type === "user";
}

function behaviorOf({ answer }: Extract<AwaitedFrame, { readonly type: "answer" }>): unknown {
  return isFields(answer) ? answer["behavior"] : undefined;
}
