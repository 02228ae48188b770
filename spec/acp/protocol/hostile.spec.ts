/**
 * Specs of hostile values: no value from a peer makes a schema throw, loop or change the
 * value.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import * as acp from "../../../lib/acp/index.ts";
import { Fault, type Schema } from "../../../lib/schema/index.ts";
import { hostileValues } from "../../support/hostile-values.ts";
import { objectsOf, sampleObject } from "../../support/acp/node-sample.ts";
import { agentOverRaw, clientOverRaw } from "../../support/acp/roles.ts";

const schemas = Object.entries(acp).flatMap(([name, value]): [string, Schema<unknown>][] =>
  typeof value === "object" && "read" in value ? [[name, value]] : [],
);

/** Prototypes that no schema may add keys to. */
const prototypes = [Object.prototype, Array.prototype, Function.prototype];
const before = prototypes.map((prototype) => Reflect.ownKeys(prototype).length);

describe("every schema of the protocol", () => {
  it("every schema of the protocol is found", () => {
    assert.ok(schemas.length > 100);
  });

  for (const [name, schema] of schemas) {
    it(`the schema reads or refuses each hostile value, whole and in every field: ${name}`, () => {
      for (const [what, value] of hostileValues) assertCalm(schema, value, what);
      for (const [, fields] of objectsOf(schema.node, name)) {
        const right = sampleObject(fields);
        for (const key of Object.keys(fields)) {
          for (const [what, value] of hostileValues) {
            assertCalm(schema, Object.freeze({ ...right, [key]: value }), `${what} as ${key}`);
          }
        }
      }
      const after = prototypes.map((prototype) => Reflect.ownKeys(prototype).length);
      assert.deepEqual(after, before);
      assert.equal(Object.hasOwn(Object.prototype, "isAdmin"), false);
    });
  }
});

describe("agent and client, for hostile params", () => {
  const params = [...hostileValues].flatMap(([what, value]) => {
    const line = encoded(value);
    return line === undefined ? [] : [[what, line] as const];
  });

  it("an agent answers hostile params of every method", async () => {
    const { far } = await agentOverRaw();
    for (const method of Object.keys(acp.agentMethods).filter((name) => name !== "session/cancel")) {
      for (const [what, line] of params) {
        far.say(`{"jsonrpc":"2.0","id":1,"method":"${method}","params":${line}}`);
        assert.equal((await far.hear()).id, 1, `${method} with ${what}`);
      }
    }
  });

  it("a client answers hostile params of every method", async () => {
    const { far } = await clientOverRaw();
    const reported = ["session/update", "elicitation/complete"];
    for (const method of Object.keys(acp.clientMethods)) {
      for (const [what, line] of params) {
        if (reported.includes(method)) far.say(`{"jsonrpc":"2.0","method":"${method}","params":${line}}`);
        else {
          far.say(`{"jsonrpc":"2.0","id":1,"method":"${method}","params":${line}}`);
          assert.equal((await far.hear()).id, 1, `${method} with ${what}`);
        }
      }
    }
    assert.equal((await far.ask("_probe")).error?.code, -32601);
  });
});

/** Whether the result is a fault that can be described, or a value. */
function assertCalm(schema: Schema<unknown>, value: unknown, what: string): void {
  try {
    const read = schema.read(value);
    if (read instanceof Fault) assert.ok(read.describe().length < 1000);
  } catch (cause) {
    assert.fail(`${what}: ${String(cause)}`);
  }
}

/** The values as JSON, where they are not too deep to encode. */
function encoded(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}
