/**
 * An ACP client that sends and keeps raw lines.
 *
 * It makes requests with ids of its own, collects updates, and passes each request of
 * the agent to the configured handler. It checks nothing; the specs do.
 */
import type { WireLine } from "../live/agent-program.ts";
import { isObject, type JsonObject } from "../json.ts";
import type { Link } from "../../../lib/wire/index.ts";

export type Answer = { readonly result: unknown } | { readonly error: JsonObject };

export interface AgentRequest {
  readonly method: string;
  readonly params: JsonObject;
  readonly answer: (result: unknown) => void;
}

export class RawClient {
  readonly wire: WireLine[] = [];
  readonly #link: Link;
  readonly #waiting = new Map<number, (answer: Answer) => void>();
  #lastId = 0;

  constructor(link: Link, onRequest: (request: AgentRequest) => void) {
    this.#link = link;
    link.open({
      onLine: (text) => {
        const message: unknown = JSON.parse(text);
        if (!isObject(message)) throw new TypeError("a line that is no object");
        this.#keep("agent", text, message);
        const { id, method, params } = message;
        if (typeof method === "string" && id !== undefined && isObject(params)) {
          onRequest({ method, params, answer: (result) => this.#send({ jsonrpc: "2.0", id, result }) });
        } else if (method === undefined && typeof id === "number") {
          const { error } = message;
          this.#waiting.get(id)?.(isObject(error) ? { error } : { result: message["result"] });
        }
      },
      onFault: () => {},
      onDrain: () => {},
      onEnd: () => link.close("the agent has ended"),
      onClose: () => {},
    });
  }

  call(method: string, params: JsonObject): Promise<Answer> {
    const id = ++this.#lastId;
    return new Promise((resolve) => {
      this.#waiting.set(id, resolve);
      this.#send({ jsonrpc: "2.0", id, method, params });
    });
  }

  notify(method: string, params: JsonObject): void {
    this.#send({ jsonrpc: "2.0", method, params });
  }

  close(): void {
    this.#link.close("the client is done");
  }

  #send(message: JsonObject): void {
    const text = JSON.stringify(message);
    this.#keep("client", text, message);
    this.#link.send(text);
  }

  #keep(from: WireLine["from"], text: string, message: JsonObject): void {
    this.wire.push({ from, text, message, atMs: 0 });
  }
}
