/**
 * Cursor: how far a tape has been played, and what it waits for.
 *
 * Matches loosely: any prompt is the next prompt, a request matches by its name, an
 * answer by the request it answers and by whether it allows. The host's own ids take
 * the place of the recorded ones. Holds no stream and no clock.
 */
import { parseJson } from "../wire/index.ts";
import type { PlaybackReply, Playback, PlaybackStep } from "./playback.ts";
import { type Fields, isFields } from "./tape-rows.ts";
import { type AwaitedFrame, describeFrame, readFrame, type Tape, type TapeRow } from "./claude-tape.ts";

export class ClaudePlayback implements Playback<AwaitedFrame> {
  readonly #rows: readonly TapeRow[];
  readonly #met = new Set<TapeRow>();
  /** Requests of the CLI that it took back: nobody has to answer them. */
  readonly #withdrawn = new Set<string>();
  /** Recorded ids and the host's own. */
  readonly #requests = new Map<string, string>();
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
          return { kind: "say", line: this.#translated(row.line), atMs: row.atMs, row: this.#at };
        case "awaited":
          if (!this.#met.has(row) && !this.#isWithdrawn(row.frame)) {
            return { kind: "wait", frame: row.frame, atMs: row.atMs };
          }
          break;
        case "host-ended":
          this.#hasHostEnded = true;
          break;
        case "exit":
          // It ended because its host did, and this host has not.
          return this.#hasHostEnded ? { kind: "rest" } : { kind: "exit", why: row.why, atMs: row.atMs };
      }
      this.#at++;
    }
  }

  hear(line: string): PlaybackReply {
    return { mismatch: this.#take(line) };
  }

  skip(): void {
    const row = this.#rows[this.#at];
    if (row?.kind === "awaited") this.#met.add(row);
  }

  /** Gives back how the host departs from the tape, if it does. */
  #take(line: string): string | undefined {
    const frame = readFrame(parseJson(line));
    if (frame === undefined) return undefined;
    const row = this.#rows.slice(this.#at).find((one) => !this.#met.has(one) && isMet(one, frame));
    // An answer nobody waits for is ignored, as the CLI does.
    if (row?.kind !== "awaited") return frame.type === "answer" ? undefined : this.#mismatch(frame);
    const recorded = row.frame;
    if (recorded.type === "answer" && frame.type === "answer" && behaviorOf(recorded) !== behaviorOf(frame)) {
      return this.#mismatch(frame, recorded);
    }
    this.#met.add(row);
    if (recorded.type === "user" && frame.type === "user" && recorded.uuid !== undefined && frame.uuid !== undefined) {
      this.#prompts.set(recorded.uuid, frame.uuid);
    }
    if (recorded.type === "request" && frame.type === "request") this.#requests.set(recorded.id, frame.id);
    return undefined;
  }

  #isWithdrawn(frame: AwaitedFrame): boolean {
    return frame.type === "answer" && this.#withdrawn.has(frame.id);
  }

  #mismatch(heard: AwaitedFrame, recorded?: AwaitedFrame): string {
    const step = this.#rows.slice(this.#at).find((row) => row.kind === "awaited" && !this.#met.has(row));
    const expected = recorded ?? (step?.kind === "awaited" ? step.frame : undefined);
    const has = expected === undefined ? "nothing more from the host" : describeFrame(expected);
    return `the host departs from the tape: it sent ${describeFrame(heard)}, the recording has ${has}`;
  }

  #translated(line: string): string {
    let said = line;
    for (const [recorded, own] of this.#prompts) said = said.replaceAll(recorded, own);
    if (!said.includes('"control_')) return said;
    const frame = parseJson(said);
    if (!isFields(frame)) return said;
    if (frame["type"] === "control_cancel_request") this.#withdrawn.add(String(frame["request_id"]));
    return frame["type"] === "control_response" ? this.#answered(frame, said) : said;
  }

  /** A recorded answer, to the host's own request. */
  #answered(frame: Fields, said: string): string {
    const { response } = frame;
    const own = isFields(response) ? this.#requests.get(String(response["request_id"])) : undefined;
    if (own === undefined || !isFields(response)) return said;
    return JSON.stringify({ ...frame, response: { ...response, request_id: own } });
  }
}

function isMet(row: TapeRow, heard: AwaitedFrame): boolean {
  if (row.kind !== "awaited") return false;
  const { frame } = row;
  if (frame.type === "request" && heard.type === "request") return frame.subtype === heard.subtype;
  if (frame.type === "answer" && heard.type === "answer") return frame.id === heard.id;
  return frame.type === "user" && heard.type === "user";
}

function behaviorOf({ answer }: Extract<AwaitedFrame, { readonly type: "answer" }>): unknown {
  return isFields(answer) ? answer["behavior"] : undefined;
}
