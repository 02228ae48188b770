/**
 * A link to a fake CLI that plays a recording and fails at a given place: what the fake Claude
 * CLI and the fake Codex have in common.
 *
 * Bytes go through the real line reader, so a line can be cut in its middle. Every line that
 * the CLI sends and every line that it receives is counted, and the fault happens at one of
 * them. Unlike a tape, the link does not compare what the host sends with the recording.
 */
import { lineReader, type LineReader, type LinkCallbacks } from "../../../lib/wire/index.ts";

/** What happens after this many lines sent, or at this line received. */
export type Fault =
  | {
      readonly kind: "obeys a cancel" | "exits" | "ends its output" | "stops in the middle of a line" | "falls silent";
      readonly after: number;
    }
  | { readonly kind: "breaks the pipe" | "loses a frame" | "throws"; readonly at: number };

/** The error of a write that throws. */
export const thrown = new Error("a write that throws");

export abstract class FaultyLink {
  isOpen = true;
  /** The CLI sends nothing more, except the end of an interrupted turn. */
  isOver = false;
  hasFaulted = false;
  /** The CLI waits for an interrupt, and then ends the turn correctly. */
  isObedient = false;
  readonly #name: string;
  readonly #fault: Fault | undefined;
  #callbacks: LinkCallbacks | undefined;
  #reader: LineReader | undefined;
  #saidCount = 0;
  #receivedCount = 0;

  /** `name` is the CLI's name in the reasons for which the link closes. */
  constructor(name: string, fault: Fault | undefined) {
    this.#name = name;
    this.#fault = fault;
  }

  /** Takes a line of the host that the fault did not affect. */
  protected abstract receive(line: string): void;

  /** Ends the turn if the host has interrupted it already. */
  protected abstract stopIfInterrupted(): void;

  readonly open = (callbacks: LinkCallbacks): void => {
    this.#callbacks = callbacks;
    this.#reader = lineReader({ onLine: (line) => this.isOpen && callbacks.onLine(line), onFault: callbacks.onFault });
  };

  readonly send = (line: string): boolean => {
    if (!this.isOpen) return false;
    const fault = this.#fault;
    if (fault !== undefined && "at" in fault && fault.at === this.#receivedCount++) {
      this.hasFaulted = true;
      if (fault.kind === "throws") throw thrown;
      if (fault.kind === "breaks the pipe") this.die(`writing to ${this.#name} failed: EPIPE`);
      return fault.kind === "loses a frame";
    }
    this.receive(line);
    return true;
  };

  readonly pause = (): void => {};
  readonly resume = (): void => {};

  readonly close = (reason: string): void => {
    if (this.isOpen) queueMicrotask(() => this.#finish(reason));
  };

  die(reason: string): void {
    this.isOver = true;
    queueMicrotask(() => this.#finish(reason));
  }

  dieBySignal(): void {
    this.die(`${this.#name} was ended by SIGKILL`);
  }

  /** Sends one line of the recording, or fails in its place. True when the line was sent. */
  protected sayLine(line: string): boolean {
    const fault = this.#fault;
    if (this.isOver) return false;
    if (fault !== undefined && "after" in fault && fault.after === this.#saidCount) {
      this.#fail(fault.kind, line);
      return false;
    }
    this.#saidCount++;
    this.push(`${line}\n`);
    return true;
  }

  /** Sends the text in two chunks, as pipes may. */
  protected push(text: string): void {
    const bytes = Buffer.from(text);
    const cut = bytes.length >> 1;
    this.#reader?.push(bytes.subarray(0, cut));
    this.#reader?.push(bytes.subarray(cut));
  }

  #fail(kind: Extract<Fault, { readonly after: number }>["kind"], next: string): void {
    this.isOver = true;
    this.hasFaulted = true;
    switch (kind) {
      case "falls silent":
        return;
      case "obeys a cancel":
        this.isObedient = true;
        return this.stopIfInterrupted();
      case "exits":
        return this.die(`${this.#name} exited with code 1`);
      case "ends its output":
        this.#reader?.end();
        return this.#callbacks?.onEnd();
      case "stops in the middle of a line":
        this.push(next.slice(0, Math.ceil(next.length / 2)));
        this.#reader?.end();
        return this.dieBySignal();
    }
  }

  #finish(reason: string): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    this.isOver = true;
    this.#callbacks?.onClose(reason);
  }
}
