/**
 * An ACP client that sends random lines and counts responses.
 *
 * It sends any line and receives every line. It counts requests and responses by the id
 * as it was written, so that a missing or superfluous response shows. Ids need not be
 * unique.
 */
import type { WireLine } from "../../support/live/agent-program.ts";
import { isObject, type JsonObject, textAt } from "../../support/json.ts";
import type { Link } from "../../../lib/wire/index.ts";

/** A request of the agent. */
export interface Ask {
  readonly id: unknown;
  readonly method: string;
  readonly params: JsonObject;
  answers: number;
}

export interface Asked {
  readonly method: string;
  readonly params: unknown;
  /** The responses, in order; more than one only where the id was used again. */
  readonly answers: JsonObject[];
}

export class RandomClient {
  readonly wire: WireLine[] = [];
  readonly asks: Ask[] = [];
  /** Sessions that were opened, in order; closed ones included. */
  readonly sessions: string[] = [];
  readonly faults: string[] = [];
  isEnded = false;
  readonly #link: Link;
  readonly #asked = new Map<string, Asked[]>();
  #lastId = 0;

  constructor(link: Link) {
    this.#link = link;
    link.open({
      onLine: (text) => this.#hear(text),
      onFault: () => this.faults.push("a line that could not be read"),
      onDrain: () => {},
      onEnd: () => void (this.isEnded = true),
      onClose: () => void (this.isEnded = true),
    });
  }

  /** Sends a request with an id of its own, or with the given one. */
  ask(method: string, params: unknown, id: unknown = ++this.#lastId): Asked {
    const asked: Asked = { method, params, answers: [] };
    this.expect(id, asked);
    this.say(JSON.stringify({ jsonrpc: "2.0", id, method, params }));
    return asked;
  }

  /** Expects a response with this id. */
  expect(id: unknown, asked: Asked = { method: "", params: undefined, answers: [] }): void {
    const key = JSON.stringify(id);
    this.#asked.set(key, [...(this.#asked.get(key) ?? []), asked]);
  }

  say(text: string): void {
    let message: unknown;
    try {
      message = JSON.parse(text);
    } catch {
      message = undefined;
    }
    this.wire.push({ from: "client", text, message: isObject(message) ? message : undefined, atMs: 0 });
    this.#link.send(text);
  }

  /** Records an event from elsewhere between the lines. */
  note(message: JsonObject): void {
    this.wire.push({ from: "client", text: "", message, atMs: 0 });
  }

  answer(ask: Ask, answer: object): void {
    ask.answers++;
    this.say(JSON.stringify({ jsonrpc: "2.0", id: ask.id, ...answer }));
  }

  /** Reads no more until `resume`. */
  pause(): void {
    this.#link.pause();
  }

  resume(): void {
    this.#link.resume();
  }

  close(): void {
    this.#link.close("the client is done");
  }

  /** Requests that wait for their answer. */
  get waiting(): readonly Asked[] {
    return [...this.#asked.values()].flatMap((all) => all.slice(all.flatMap(({ answers }) => answers).length));
  }

  #hear(text: string): void {
    const message: unknown = JSON.parse(text);
    // The responses to a batch.
    if (Array.isArray(message) && message.length > 0) {
      for (const element of message) this.#hear(JSON.stringify(element));
      return;
    }
    if (!isObject(message)) return void this.faults.push(`a line that is no message: ${text}`);
    this.wire.push({ from: "agent", text, message, atMs: 0 });
    const { id, method, params } = message;
    if (typeof method === "string") {
      if (id !== undefined) this.asks.push({ id, method, params: isObject(params) ? params : {}, answers: 0 });
      return;
    }
    const asked = this.#asked.get(JSON.stringify(id))?.find(({ answers }) => answers.length === 0);
    if (asked === undefined) return void this.faults.push(`an answer nobody waits for: ${text.slice(0, 300)}`);
    asked.answers.push(message);
    const sessionId = textAt(message, "result.sessionId");
    if (sessionId !== "") this.sessions.push(sessionId);
  }
}
