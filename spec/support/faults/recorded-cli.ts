/**
 * A fake CLI that plays a recording and fails at a given place.
 *
 * Bytes go through the real line reader, so a line can be cut in its middle. Every line
 * it sends and every frame it receives is counted, and a fault happens at one of them.
 * Unlike a tape it does not check what the host sends, but only keeps it.
 */
import { ClaudeExit, type ClaudeLink } from "../../../lib/claude/index.ts";
import { lineReader, type LineReader, type LinkCallbacks } from "../../../lib/wire/index.ts";
import type { Frame } from "../claude/fake-cli.ts";

/** What happens after this many lines sent, or this many frames received. */
export type Fault =
  | {
      readonly kind: "obeys a cancel" | "exits" | "ends its output" | "stops in the middle of a line" | "falls silent";
      readonly after: number;
    }
  | { readonly kind: "breaks the pipe" | "loses a frame" | "throws"; readonly at: number };

export const thrown = new Error("a write that throws");

export class RecordedCli implements ClaudeLink {
  /** The lines that the host received, whole lines only. */
  readonly said: string[] = [];
  readonly frames: Frame[] = [];
  isOpen = true;
  /** Sends nothing more. */
  isOver = false;
  hasFaulted = false;
  /** Waits for an interrupt, and then stops correctly. */
  isObedient = false;
  readonly #fault: Fault | undefined;
  #callbacks: LinkCallbacks | undefined;
  #reader: LineReader | undefined;
  #sent = 0;
  #exit: ClaudeExit | undefined;
  readonly #uuids = new Map<string, string>();
  readonly #ids = new Map<string, string>();

  constructor(fault: Fault | undefined) {
    this.#fault = fault;
  }

  readonly open = (callbacks: LinkCallbacks): void => {
    this.#callbacks = callbacks;
    this.#reader = lineReader({ onLine: (line) => this.isOpen && callbacks.onLine(line), onFault: callbacks.onFault });
  };

  readonly send = (line: string): boolean => {
    if (!this.isOpen) return false;
    const fault = this.#fault;
    if (fault !== undefined && "at" in fault && fault.at === this.#sent++) {
      this.hasFaulted = true;
      if (fault.kind === "throws") throw thrown;
      if (fault.kind === "breaks the pipe") this.die("writing to the Claude CLI failed: EPIPE");
      return fault.kind === "loses a frame";
    }
    const frame: Frame = JSON.parse(line);
    this.frames.push(frame);
    if (this.isObedient && frame["request"]?.subtype === "interrupt") queueMicrotask(() => this.#stop(frame));
    return true;
  };

  readonly pause = (): void => {};
  readonly resume = (): void => {};
  readonly exit = (): ClaudeExit | undefined => this.#exit;

  readonly close = (reason: string): void => {
    if (this.isOpen) queueMicrotask(() => this.#finish(reason));
  };

  /** One recorded line, with the ids of the current host. */
  say(recorded: string): void {
    const fault = this.#fault;
    if (this.isOver) return;
    const line = this.#translated(recorded);
    if (fault !== undefined && "after" in fault && fault.after === this.said.length)
      return this.#strike(fault.kind, line);
    this.said.push(line);
    this.#push(`${line}\n`);
  }

  /** The host's prompt replaces the recorded one. */
  meetPrompt(recorded: unknown, own: Frame): void {
    if (typeof recorded === "string") this.#uuids.set(recorded, String(own["uuid"]));
  }

  meetRequest(recorded: unknown, own: Frame): void {
    this.#ids.set(String(recorded), String(own["request_id"]));
  }

  die(reason: string): void {
    this.isOver = true;
    this.#exit = new ClaudeExit(reason, { code: 1, signal: null, stderr: [] });
    queueMicrotask(() => this.#finish(reason));
  }

  #strike(kind: Extract<Fault, { readonly after: number }>["kind"], next: string): void {
    this.isOver = true;
    this.hasFaulted = true;
    switch (kind) {
      case "falls silent":
        return;
      case "obeys a cancel":
        this.isObedient = true;
        return this.#stopIfTold();
      case "exits":
        return this.die("the Claude CLI exited with code 1");
      case "ends its output":
        this.#reader?.end();
        return this.#callbacks?.onEnd();
      case "stops in the middle of a line":
        this.#push(next.slice(0, Math.ceil(next.length / 2)));
        this.#reader?.end();
        return this.die("the Claude CLI was ended by SIGKILL");
    }
  }

  /** The cancel may have come before this line. */
  #stopIfTold(): void {
    const told = this.frames.findLast(({ type, request }) => type === "user" || request?.subtype === "interrupt");
    if (told !== undefined && told["type"] !== "user") queueMicrotask(() => this.#stop(told));
  }

  /** As a CLI does that is interrupted. */
  #stop({ request_id }: Frame): void {
    const uuid: unknown = this.frames.findLast(({ type }) => type === "user")?.["uuid"];
    const aborted = { subtype: "error_during_execution", is_error: true, terminal_reason: "aborted_streaming" };
    for (const event of [
      { type: "control_response", response: { subtype: "success", request_id, response: { still_queued: [] } } },
      { type: "result", ...aborted, user_message_uuids: [uuid] },
      { type: "system", subtype: "session_state_changed", state: "idle" },
    ]) {
      this.#push(`${JSON.stringify(event)}\n`);
    }
  }

  /** Sends the line in two chunks, as pipes may. */
  #push(text: string): void {
    const bytes = Buffer.from(text);
    const cut = bytes.length >> 1;
    this.#reader?.push(bytes.subarray(0, cut));
    this.#reader?.push(bytes.subarray(cut));
  }

  #finish(reason: string): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    this.isOver = true;
    this.#callbacks?.onClose(reason);
  }

  #translated(line: string): string {
    let said = line;
    for (const [recorded, own] of this.#uuids) said = said.replaceAll(recorded, own);
    if (!said.includes('"control_response"')) return said;
    for (const [recorded, own] of this.#ids)
      said = said.replaceAll(`"request_id":"${recorded}"`, `"request_id":"${own}"`);
    return said;
  }
}
