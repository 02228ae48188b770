/**
 * Hostile values: nothing a peer sends makes a reading throw, run away or touch
 * what it was given.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import * as acp from "../../lib/acp/index.ts";
import { Fault, type Schema } from "../../lib/schema/index.ts";
import { hostileValues } from "../support/hostile-values.ts";
import { objectsOf, sampleObject } from "../support/node-sample.ts";
import { agentOverRaw, clientOverRaw } from "../support/roles.ts";

const schemas = Object.entries(acp).flatMap(([name, value]): [string, Schema<unknown>][] =>
  typeof value === "object" && "read" in value ? [[name, value]] : [],
);

/** What no reading may add to. */
const prototypes = [Object.prototype, Array.prototype, Function.prototype];
const before = prototypes.map((prototype) => Reflect.ownKeys(prototype).length);

describe("every schema of the protocol", () => {
  it("is here", () => {
    assert.ok(schemas.length > 100);
  });

  for (const [name, schema] of schemas) {
    it(`reads or refuses each hostile value, whole and in every field: ${name}`, () => {
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

describe("the roles", () => {
  const params = [...hostileValues].flatMap(([what, value]) => {
    const line = encoded(value);
    return line === undefined ? [] : [[what, line] as const];
  });

  it("answer hostile params of every method of an agent", async () => {
    const { far } = await agentOverRaw();
    for (const method of Object.keys(acp.agentMethods).filter((name) => name !== "session/cancel")) {
      for (const [what, line] of params) {
        far.say(`{"jsonrpc":"2.0","id":1,"method":"${method}","params":${line}}`);
        assert.equal((await far.hear()).id, 1, `${method} with ${what}`);
      }
    }
  });

  it("answer hostile params of every method of a client", async () => {
    const { far } = await clientOverRaw();
    const told = ["session/update", "elicitation/complete"];
    for (const method of Object.keys(acp.clientMethods)) {
      for (const [what, line] of params) {
        if (told.includes(method)) far.say(`{"jsonrpc":"2.0","method":"${method}","params":${line}}`);
        else {
          far.say(`{"jsonrpc":"2.0","id":1,"method":"${method}","params":${line}}`);
          assert.equal((await far.hear()).id, 1, `${method} with ${what}`);
        }
      }
    }
    assert.equal((await far.ask("_probe")).error?.code, -32601);
  });
});

/** A fault that can be told, or a value; nothing else. */
function assertCalm(schema: Schema<unknown>, value: unknown, what: string): void {
  try {
    const read = schema.read(value);
    if (read instanceof Fault) assert.ok(read.describe().length < 1000);
  } catch (cause) {
    assert.fail(`${what}: ${String(cause)}`);
  }
}

/** As JSON, for those that are not too deep to write. */
function encoded(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}
