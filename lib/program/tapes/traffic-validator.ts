/**
 * Validates the messages between a client and an agent against the ACP schemas.
 *
 * Sees every line of both directions; a response is validated by the schema of its
 * request. Problems name the place and the expectation, never the value.
 */
import { agentMethods, clientMethods } from "../../acp/index.ts";
import { type Incoming, type MethodTable, readMessage, type RpcResponse } from "../../rpc/index.ts";
import { Fault, isRecord, type Schema } from "../../schema/index.ts";

/** `in`: to the agent; `out`: from the agent. */
export type Direction = "in" | "out";

/** Requests remembered until their response; beyond this the oldest is dropped. */
const maxAwaited = 10_000;

type Handled = Exclude<Incoming, { readonly kind: "malformed" | "response" }>;

export class TrafficValidator {
  /** By direction: the method of each request without a response, by its id as JSON. */
  readonly #awaited = { in: new Map<string, string>(), out: new Map<string, string>() };

  /** The problem of a line; undefined when it is valid. */
  see(dir: Direction, line: string): string | undefined {
    const message = readMessage(line);
    switch (message.kind) {
      case "malformed":
        return message.why;
      case "response":
        return this.#answer(dir, message);
      case "request":
      case "notification":
        return this.#call(dir, message);
    }
  }

  #call(dir: Direction, message: Handled): string | undefined {
    const { kind, method, params } = message;
    if (kind === "request") this.#await(dir, keyOf(message.id), method);
    const entry = entryOf(dir, method);
    if (entry === undefined) {
      const isOther = method.startsWith("_") || method.startsWith("$/");
      return isOther ? undefined : `${quoted(method)}: not a method of the protocol for this side`;
    }
    const isRequest = entry.result !== undefined;
    if (isRequest !== (kind === "request"))
      return `${method}: must be a ${isRequest ? "request, with an id" : "notification, without an id"}`;
    return faultOf(method, "params", entry.params, params);
  }

  #answer(dir: Direction, { id, result, error }: RpcResponse): string | undefined {
    const asked = this.#awaited[dir === "in" ? "out" : "in"];
    const key = keyOf(id);
    const method = asked.get(key);
    // An error with id null reports a line that the sender could not parse.
    if (method === undefined) return id === null && error !== undefined ? undefined : "an answer to no open request";
    asked.delete(key);
    if (error !== undefined && result !== undefined)
      return `${quoted(method)}: an answer has a result or an error, not both`;
    if (error !== undefined) {
      const isValid = isRecord(error) && Number.isInteger(error["code"]) && typeof error["message"] === "string";
      return isValid ? undefined : `${quoted(method)}: error must be an object with a code and a message`;
    }
    const schema = entryOf(dir === "in" ? "out" : "in", method)?.result;
    return schema && faultOf(`${method} answer`, "result", schema, result);
  }

  #await(dir: Direction, id: string, method: string): void {
    const asked = this.#awaited[dir];
    asked.set(id, method);
    const [oldest] = asked.keys();
    if (asked.size > maxAwaited && oldest !== undefined) asked.delete(oldest);
  }
}

function entryOf(dir: Direction, method: string): MethodTable[string] | undefined {
  const table: MethodTable = dir === "in" ? agentMethods : clientMethods;
  return Object.hasOwn(table, method) ? table[method] : undefined;
}

function faultOf(method: string, root: string, schema: Schema<unknown>, value: unknown): string | undefined {
  const read = schema.read(value);
  return read instanceof Fault ? `${method}: ${read.describe(root)}` : undefined;
}

/** A long integer id is a bigint in a request and a number in its response. */
function keyOf(id: unknown): string {
  return typeof id === "bigint" ? String(Number(id)) : JSON.stringify(id);
}

/** A method name from the wire, quoted and cut. */
function quoted(method: string): string {
  return JSON.stringify(method.slice(0, 80));
}
