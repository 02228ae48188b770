/**
 * A fake `codex app-server` that plays a recording and fails at a given place.
 *
 * Bytes go through the real line reader, so a line can be cut in its middle. Requests that
 * the recorded host did not send are answered as the fake app-server answers them. Every
 * line of the recording and every line of the host is counted, and a fault happens at one
 * of them.
 */
import type { CodexLink } from "../../../lib/codex/index.ts";
import { lineReader, type LineReader, type LinkCallbacks } from "../../../lib/wire/index.ts";
import { FakeCodex } from "../codex/fake-app-server.ts";
import { isObject, type JsonObject, textAt } from "../json.ts";
import { type Fault, thrown } from "./recorded-cli.ts";

/** Requests that the recordings have, whose answers are lines of the recording. */
const recordedMethods = new Set(["initialize", "thread/start", "turn/start", "turn/interrupt"]);

export class RecordedAppServer implements CodexLink {
  readonly sent: JsonObject[] = [];
  isOpen = true;
  hasFaulted = false;
  /** Waits for an interrupt, and then stops correctly. */
  isObedient = false;
  readonly #fault: Fault | undefined;
  readonly #usual = new FakeCodex();
  readonly #ids = new Map<unknown, unknown>();
  #callbacks: LinkCallbacks | undefined;
  #reader: LineReader | undefined;
  #isOver = false;
  #lineCount = 0;
  #sentCount = 0;
  #threadId = "";
  #turnId = "";
  #promptId = "";

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
    if (fault !== undefined && "at" in fault && fault.at === this.#sentCount++) {
      this.hasFaulted = true;
      if (fault.kind === "throws") throw thrown;
      if (fault.kind === "breaks the pipe") this.die("writing to Codex failed: EPIPE");
      return fault.kind === "loses a frame";
    }
    const message: unknown = JSON.parse(line);
    if (!isObject(message)) return true;
    this.sent.push(message);
    const { id, method, params } = message;
    if (typeof method !== "string") return true;
    if (method === "turn/interrupt" && this.isObedient) queueMicrotask(() => this.#stop());
    if (id === undefined || recordedMethods.has(method) || this.#isOver) return true;
    const answer = this.#usual.answerTo(method, isObject(params) ? params : {});
    queueMicrotask(() => this.#push(`${JSON.stringify({ id, ...answer })}\n`));
    return true;
  };

  readonly pause = (): void => {};
  readonly resume = (): void => {};

  readonly close = (reason: string): void => {
    if (this.isOpen) queueMicrotask(() => this.#finish(reason));
  };

  /** One recorded message. Answers to requests that this host did not send are left out. */
  say(recorded: JsonObject): void {
    if (this.#isOver) return;
    const message = this.#translated(recorded);
    if (message === undefined) return;
    const line = JSON.stringify(message);
    const fault = this.#fault;
    if (fault !== undefined && "after" in fault && fault.after === this.#lineCount)
      return this.#strike(fault.kind, line);
    this.#lineCount++;
    this.#threadId ||= textAt(message, "result.thread.id");
    this.#turnId = textAt(message, "result.turn.id") || this.#turnId;
    this.#push(`${line}\n`);
  }

  /** The host's request replaces the recorded one. */
  meet(recorded: JsonObject, own: JsonObject): void {
    this.#ids.set(recorded["id"], own["id"]);
    this.#promptId = textAt(own, "params.clientUserMessageId") || this.#promptId;
  }

  die(reason: string): void {
    this.#isOver = true;
    queueMicrotask(() => this.#finish(reason));
  }

  #strike(kind: Extract<Fault, { readonly after: number }>["kind"], next: string): void {
    this.#isOver = true;
    this.hasFaulted = true;
    switch (kind) {
      case "falls silent":
        return;
      case "obeys a cancel":
        this.isObedient = true;
        if (
          this.sent.findLast(({ method }) => /^turn\/(start|interrupt)$/.test(String(method)))?.["method"] ===
          "turn/interrupt"
        )
          queueMicrotask(() => this.#stop());
        return;
      case "exits":
        return this.die("Codex exited with code 1");
      case "ends its output":
        this.#reader?.end();
        return this.#callbacks?.onEnd();
      case "stops in the middle of a line":
        this.#push(next.slice(0, Math.ceil(next.length / 2)));
        this.#reader?.end();
        return this.die("Codex was ended by SIGKILL");
    }
  }

  /** As Codex does that is interrupted. The answer that names the turn comes first. */
  #stop(): void {
    const threadId = this.#threadId;
    const start = this.sent.findLast(({ method }) => method === "turn/start");
    if (start === undefined || threadId === "") return;
    const turn = { id: this.#turnId === "" ? "turn-stopped" : this.#turnId, status: "inProgress", items: [] };
    if (this.#turnId === "") this.#push(`${JSON.stringify({ id: start["id"], result: { turn } })}\n`);
    const params = { threadId, turn: { ...turn, status: "interrupted" } };
    this.#push(`${JSON.stringify({ method: "turn/completed", params })}\n`);
  }

  #translated(recorded: JsonObject): JsonObject | undefined {
    if ("method" in recorded) {
      const item = textAt(recorded, "params.item.type") === "userMessage";
      if (!item) return recorded;
      const text = JSON.stringify(recorded).replace('"clientId":null', `"clientId":${JSON.stringify(this.#promptId)}`);
      return JSON.parse(text) as JsonObject;
    }
    const id = this.#ids.get(recorded["id"]);
    return id === undefined ? undefined : { ...recorded, id };
  }

  /** Sends the line in two chunks, as pipes may. */
  #push(text: string): void {
    if (!this.isOpen) return;
    const bytes = Buffer.from(text);
    const cut = bytes.length >> 1;
    this.#reader?.push(bytes.subarray(0, cut));
    this.#reader?.push(bytes.subarray(cut));
  }

  #finish(reason: string): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    this.#isOver = true;
    this.#callbacks?.onClose(reason);
  }
}
