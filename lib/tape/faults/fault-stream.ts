/**
 * A stream of lines in which messages are late, lost, doubled, out of order or cut.
 *
 * Bytes in, bytes out, so it fits between any two pipes; lines are not parsed. Without a
 * fault every byte passes unchanged. While more than `maxQueuedBytes` wait for their
 * delay, the stream takes no more.
 */
import { Transform, type TransformCallback } from "node:stream";
import type { Schedule } from "../../wire/index.ts";
import { type FaultKind, FaultPlan, type Faults } from "./faults.ts";

export interface FaultCallbacks {
  /** Called for each fault but delays, with the number of the message it hits, from 1. */
  readonly onFault: (kind: Exclude<FaultKind, "pass">, message: number) => void;
  /** Everything before the fault has been read; the connection is to be closed, or the process killed. */
  readonly onEnd: (kind: "cut" | "die") => void;
}

const maxQueuedBytes = 8 * 1024 * 1024;
const newline = 0x0a;

export class FaultStream extends Transform {
  readonly #plan: FaultPlan;
  readonly #callbacks: FaultCallbacks;
  readonly #after: Schedule;
  readonly #now: () => number;
  #line: Buffer[] = [];
  #queue: { readonly dueMs: number; readonly bytes: Buffer }[] = [];
  #queuedBytes = 0;
  #messages = 0;
  /** A message that waits for the one that follows it. */
  #held: Buffer | undefined;
  #state: "open" | "stall" | "cut" | "die" | "ended" = "open";
  #isTimed = false;
  #resume: (() => void) | undefined;
  #finish: (() => void) | undefined;

  constructor(faults: Faults, callbacks: FaultCallbacks, after: Schedule, now: () => number = () => performance.now()) {
    super();
    this.#plan = new FaultPlan(faults);
    this.#callbacks = callbacks;
    this.#after = after;
    this.#now = now;
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    let from = 0;
    for (let at = chunk.indexOf(newline); at !== -1; at = chunk.indexOf(newline, from)) {
      this.#line.push(chunk.subarray(from, at + 1));
      from = at + 1;
      const line = Buffer.concat(this.#line);
      this.#line = [];
      this.#take(line);
    }
    if (from < chunk.length) this.#line.push(chunk.subarray(from));
    if (this.#queuedBytes > maxQueuedBytes) this.#resume = done;
    else done();
  }

  override _flush(done: TransformCallback): void {
    if (this.#state === "open") {
      if (this.#held !== undefined) this.#enqueue(this.#held, 0);
      if (this.#line.length > 0) this.#enqueue(Buffer.concat(this.#line), 0);
    }
    // After a cut the end has been pushed already.
    if (this.#state === "ended") return;
    if (this.#queue.length === 0) done();
    else this.#finish = done;
  }

  #take(line: Buffer): void {
    if (this.#state !== "open") return;
    const { kind, delayMs } = this.#plan.next();
    this.#messages++;
    if (kind !== "pass") this.#callbacks.onFault(kind, this.#messages);
    switch (kind) {
      case "pass":
        return this.#sendWithHeld(line, delayMs);
      case "duplicate":
        this.#sendWithHeld(line, delayMs);
        return this.#enqueue(line, delayMs);
      case "drop":
        return undefined;
      case "reorder":
        if (this.#held !== undefined) return this.#sendWithHeld(line, delayMs);
        this.#held = line;
        return undefined;
      case "stall":
        this.#state = kind;
        return undefined;
      case "cut":
        this.#state = kind;
        return this.#enqueue(line.subarray(0, Math.floor(line.length / 2)), delayMs);
      case "die":
        this.#state = kind;
        return this.#drain();
    }
  }

  #sendWithHeld(line: Buffer, delayMs: number): void {
    this.#enqueue(line, delayMs);
    if (this.#held === undefined) return;
    this.#enqueue(this.#held, delayMs);
    this.#held = undefined;
  }

  #enqueue(bytes: Buffer, delayMs: number): void {
    this.#queue.push({ dueMs: Math.max(this.#now() + delayMs, this.#queue.at(-1)?.dueMs ?? 0), bytes });
    this.#queuedBytes += bytes.length;
    this.#drain();
  }

  /** Sends what is due; afterwards the connection ends if a fault has ended it. */
  #drain(): void {
    if (this.#isTimed) return;
    let sent = 0;
    for (const { dueMs, bytes } of this.#queue) {
      if (dueMs > this.#now()) break;
      this.push(bytes);
      this.#queuedBytes -= bytes.length;
      sent++;
    }
    this.#queue.splice(0, sent);
    const [next] = this.#queue;
    if (next !== undefined) {
      this.#isTimed = true;
      this.#after(Math.max(0, next.dueMs - this.#now()), () => {
        this.#isTimed = false;
        this.#drain();
      });
    } else if (this.#state === "cut" || this.#state === "die") this.#end(this.#state);
    if (this.#queuedBytes <= maxQueuedBytes) {
      const resume = this.#resume;
      this.#resume = undefined;
      resume?.();
    }
    if (next === undefined && this.#state !== "ended") this.#finish?.();
  }

  #end(kind: "cut" | "die"): void {
    this.#state = "ended";
    this.once("end", () => this.#callbacks.onEnd(kind));
    this.push(null);
  }
}
