/**
 * Checks captured lines against the official schema.
 *
 * Each request, notification and response is checked against its definition of schema v1
 * (the unstable one for methods that exist only there). Also reports lines that are not
 * JSON-RPC, responses without a request, second responses, and unanswered requests.
 */
import assert from "node:assert/strict";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { createRequire } from "node:module";
import type { WireLine } from "../live/agent-program.ts";
import { isObject, type JsonObject } from "../json.ts";

export interface WireFault {
  readonly line: number;
  readonly why: string;
  readonly text: string;
}

/** A check of each method's params or result; each is compiled at its first use, because compiling takes longest. */
interface Shapes {
  readonly params: ReadonlyMap<string, () => ValidateFunction>;
  readonly results: ReadonlyMap<string, () => ValidateFunction>;
}

export interface CheckOptions {
  /** Requests still open at the end are a fault, unless the agent was killed. */
  readonly mayBeOpen?: boolean;
  /** Bad lines of the client were sent on purpose. */
  readonly agentOnly?: boolean;
}

export function wireFaults(lines: readonly WireLine[], options: CheckOptions = {}): readonly WireFault[] {
  const faults: WireFault[] = [];
  /** Requests that wait, by who asked and their id. */
  const open = new Map<string, string>();
  lines.forEach(({ from, text, message }, line) => {
    if (options.agentOnly === true && from === "client" && message === undefined) return;
    const tell = (why: string): unknown => faults.push({ line, why, text: text.slice(0, 500) });
    if (message === undefined || message["jsonrpc"] !== "2.0") return tell("is not JSON-RPC 2.0");
    const { id, method } = message;
    if (typeof method === "string") {
      if (id !== undefined) open.set(`${from} ${JSON.stringify(id)}`, method);
      if (options.agentOnly === true && from === "client") return;
      return complain(tell, method, "params", message["params"]);
    }
    const asker = `${from === "agent" ? "client" : "agent"} ${JSON.stringify(id)}`;
    const asked = open.get(asker);
    if (asked === undefined) return id === null ? undefined : tell("answers nothing that is open");
    open.delete(asker);
    if (isObject(message["error"])) return isError(message["error"]) ? undefined : tell("is no JSON-RPC error");
    return complain(tell, asked, "results", message["result"]);
  });
  if (options.mayBeOpen !== true) {
    for (const [asker, method] of open) {
      // Answered when the program in the terminal ends, and the client may hang up before that.
      if (method === "terminal/wait_for_exit") continue;
      faults.push({ line: lines.length, why: `${method} was never answered`, text: asker });
    }
  }
  return faults;
}

function complain(tell: (why: string) => unknown, method: string, part: keyof Shapes, value: unknown): void {
  // Extensions are not part of the official schema.
  if (method.startsWith("_")) return;
  const compiled = shapesOf("schema.json")[part].get(method) ?? shapesOf("schema.unstable.json")[part].get(method);
  if (compiled === undefined) return void tell(`${method} is not in the schema (${part})`);
  const check = compiled();
  if (!check(value)) {
    const [first] = check.errors ?? [];
    tell(`${method} ${part}${first?.instancePath ?? ""} ${first?.message ?? "is wrong"}`);
  }
}

function isError({ code, message }: JsonObject): boolean {
  return Number.isInteger(code) && typeof message === "string";
}

const read = new Map<string, Shapes>();

function shapesOf(file: string): Shapes {
  const known = read.get(file);
  if (known !== undefined) return known;
  const find = createRequire(import.meta.url);
  const schema = find(`@agentclientprotocol/sdk/schema/v1/${file}`) as { $defs: Record<string, JsonObject> };
  const ajv = new Ajv2020({ strict: false, allErrors: false, validateFormats: false, validateSchema: false });
  ajv.addSchema({ $defs: schema.$defs }, "acp");
  const params = new Map<string, () => ValidateFunction>();
  const results = new Map<string, () => ValidateFunction>();
  for (const [name, definition] of Object.entries(schema.$defs)) {
    const method = definition["x-method"];
    if (typeof method !== "string") continue;
    const compiled = (): ValidateFunction => ajv.getSchema(`acp#/$defs/${name}`) ?? assert.fail(name);
    (name.endsWith("Response") ? results : params).set(method, compiled);
  }
  const shapes = { params, results };
  read.set(file, shapes);
  return shapes;
}
