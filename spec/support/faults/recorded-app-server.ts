/**
 * A fake `codex app-server` that plays a recording and fails at a given place (faulty-link.ts).
 *
 * Requests that the recorded host did not send are answered as the fake app-server answers
 * them.
 */
import type { CodexLink } from "../../../lib/codex/index.ts";
import { FakeCodex } from "../codex/fake-app-server.ts";
import { isObject, type JsonObject, textAt } from "../json.ts";
import { type Fault, FaultyLink } from "./faulty-link.ts";

/** Requests that the recordings have, whose answers are lines of the recording. */
const recordedMethods = new Set(["initialize", "thread/start", "turn/start", "turn/interrupt"]);

export class RecordedAppServer extends FaultyLink implements CodexLink {
  readonly sent: JsonObject[] = [];
  readonly #usual = new FakeCodex();
  readonly #ids = new Map<unknown, unknown>();
  #threadId = "";
  #turnId = "";
  #promptId = "";

  constructor(fault: Fault | undefined) {
    super("Codex", fault);
  }

  /** One recorded message. Answers to requests that this host did not send are left out. */
  say(recorded: JsonObject): void {
    const message = this.#translated(recorded);
    if (message === undefined || !this.sayLine(JSON.stringify(message))) return;
    this.#threadId ||= textAt(message, "result.thread.id");
    this.#turnId = textAt(message, "result.turn.id") || this.#turnId;
  }

  /** The host's request replaces the recorded one. */
  meet(recorded: JsonObject, own: JsonObject): void {
    this.#ids.set(recorded["id"], own["id"]);
    this.#promptId = textAt(own, "params.clientUserMessageId") || this.#promptId;
  }

  protected override receive(line: string): void {
    const message: unknown = JSON.parse(line);
    if (!isObject(message)) return;
    this.sent.push(message);
    const { id, method, params } = message;
    if (typeof method !== "string") return;
    if (method === "turn/interrupt" && this.isObedient) queueMicrotask(() => this.#stop());
    if (id === undefined || recordedMethods.has(method) || this.isOver) return;
    const answer = this.#usual.answerTo(method, isObject(params) ? params : {});
    queueMicrotask(() => this.push(`${JSON.stringify({ id, ...answer })}\n`));
  }

  protected override stopIfInterrupted(): void {
    const last = this.sent.findLast(({ method }) => method === "turn/start" || method === "turn/interrupt");
    if (last?.["method"] === "turn/interrupt") queueMicrotask(() => this.#stop());
  }

  /** Ends the turn as Codex does when it is interrupted. The answer that names the turn comes first. */
  #stop(): void {
    const threadId = this.#threadId;
    const start = this.sent.findLast(({ method }) => method === "turn/start");
    if (start === undefined || threadId === "") return;
    const turn = { id: this.#turnId === "" ? "turn-stopped" : this.#turnId, status: "inProgress", items: [] };
    if (this.#turnId === "") this.push(`${JSON.stringify({ id: start["id"], result: { turn } })}\n`);
    const params = { threadId, turn: { ...turn, status: "interrupted" } };
    this.push(`${JSON.stringify({ method: "turn/completed", params })}\n`);
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
}
