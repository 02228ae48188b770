/**
 * Traffic check: what is wrong with the messages between a client and an agent.
 *
 * Sees every line of both directions and holds it against the schema of its method,
 * an answer against that of the request it belongs to. What it says names the place
 * and the expectation, never the value.
 */
import { agentMethods, clientMethods } from "../../acp/index.ts";
import { type Incoming, type MethodTable, readMessage, type RpcResponse } from "../../rpc/index.ts";
import { Fault, isRecord, type Schema } from "../../schema/index.ts";

/** `in` is to the agent, `out` from it. */
export type Direction = "in" | "out";

/** Requests whose answers are awaited; the oldest are forgotten first. */
const maxAwaited = 10_000;

type Handled = Exclude<Incoming, { readonly kind: "malformed" | "response" }>;

export class TrafficValidator {
  /** The method of each request that waits, by its id as JSON. */
  readonly #awaited = { in: new Map<string, string>(), out: new Map<string, string>() };

  /** What is wrong with a line; undefined when all is well. */
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
      return isOther ? undefined : `${shown(method)}: not a method of the protocol for this side`;
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
    // An error without an id speaks of a line that could not be read.
    if (method === undefined) return id === null && error !== undefined ? undefined : "an answer to no open request";
    asked.delete(key);
    if (error !== undefined && result !== undefined)
      return `${shown(method)}: an answer has a result or an error, not both`;
    if (error !== undefined) {
      const isWell = isRecord(error) && Number.isInteger(error["code"]) && typeof error["message"] === "string";
      return isWell ? undefined : `${shown(method)}: error must be an object with a code and a message`;
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

/** An answer's id was read as a number, however long the request's was. */
function keyOf(id: unknown): string {
  return typeof id === "bigint" ? String(Number(id)) : JSON.stringify(id);
}

/** A stranger's word, fit to be shown. */
function shown(method: string): string {
  return JSON.stringify(method.slice(0, 80));
}
