/**
 * Checks that every official field, when right, wrong, null or missing, is read as the
 * official schema marks it: kept, dropped, replaced or refused.
 *
 * The values are made from the official schema, so this tests what our schemas read, and
 * not only their descriptions.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import * as acp from "../../../lib/acp/index.ts";
import { Fault, type Field, type Node, type Schema } from "../../../lib/schema/index.ts";
import { defaultFor, type Fields, objectsOf, sample, sampleObject, wrongFor } from "../../support/acp/node-sample.ts";
import { officialNodes } from "../../support/acp/official-node.ts";
import { officialFaults, stable } from "../../support/acp/official-schema.ts";

const official = officialNodes(stable);
const ours: ReadonlyMap<string, unknown> = new Map(Object.entries(acp));

/** Our schemas by official name, except those whose tag is officially outside: these are tested within their unions. */
const pairs = Object.keys(stable.$defs).flatMap((name) => {
  const own = ours.get(name);
  if (typeof own !== "object" || own === null || !("read" in own)) return [];
  const schema = own as Schema<unknown>;
  const node = official.node(name);
  return isTagOutside(schema.node, node) ? [] : [{ name, schema, node }];
});

/** The result of a field: `gone`, `kept`, `refused`, or a value that replaces it. */
type Fate = "gone" | "kept" | "refused" | { readonly instead: unknown };

describe("the official fields", () => {
  it("the official fields are found", () => {
    assert.ok(pairs.length > 80);
    const fields = pairs.flatMap(({ name, node }) => objectsOf(node, name).flatMap(([, all]) => Object.keys(all)));
    assert.ok(fields.length > 400);
  });

  for (const { name, schema, node } of pairs) {
    for (const [title, fields, tag] of objectsOf(node, name)) {
      it(`the official fields of ${title} are read as they are marked`, () => {
        const full = sampleObject(fields);
        for (const right of [full, sampleObject(fields, true), { ...full, unknown: { kept: true } }]) {
          assert.deepEqual(officialFaults(name, right), []);
          assert.equal(schema.read(right), right);
        }
        for (const [key, field] of Object.entries(fields)) {
          if (key !== tag) assertField(schema, fields, key, field);
        }
      });
    }
  }
});

function assertField(schema: Schema<unknown>, fields: Fields, key: string, field: Field): void {
  // `mcpServers` of session/new and session/load is the one required field that clients leave out.
  const fateOfMissing: Fate = key === "mcpServers" ? { instead: [] } : "refused";
  assertFate(schema, fields, key, undefined, field.required ? fateOfMissing : "kept");
  assertFate(schema, fields, key, null, fateOfNull(field));
  const wrong = wrongFor(field.node);
  if (wrong !== undefined) assertFate(schema, fields, key, wrong, fateOfWrong(field));
  const list = listIn(field.node);
  if (list === undefined) return;
  const right = sample(list.items);
  const fate: Fate = list.skipInvalid ? { instead: [right, right] } : fateOfWrong(field);
  assertFate(schema, fields, key, [right, wrongFor(list.items), right, null], fate);
}

function assertFate(schema: Schema<unknown>, fields: Fields, key: string, value: unknown, fate: Fate): void {
  const { [key]: _, ...rest } = sampleObject(fields);
  const given = value === undefined ? rest : { ...rest, [key]: value };
  const read = schema.read(given);
  const what = `${key} given as ${JSON.stringify(value)}`;
  if (fate === "refused") assert.ok(read instanceof Fault, `${what} is refused`);
  else if (fate === "kept") assert.equal(read, given, `${what} is kept`);
  else assert.deepEqual(read, fate === "gone" ? rest : { ...rest, [key]: fate.instead }, what);
}

function fateOfNull(field: Field): Fate {
  const inner = field.node.kind === "errorTo" ? field.node.inner : field.node;
  if (inner.kind === "nullable" || inner.kind === "unknown") return "kept";
  return inner.kind === "nullTo" ? { instead: defaultFor(inner) } : fateOfWrong(field);
}

function fateOfWrong({ node, lenient }: Field): Fate {
  if (node.kind === "errorTo") return { instead: defaultFor(node) };
  return lenient ? "gone" : "refused";
}

function listIn(node: Node): Extract<Node, { readonly kind: "array" }> | undefined {
  if ("inner" in node) return listIn(node.inner);
  return node.kind === "array" ? node : undefined;
}

function isTagOutside(own: Node, node: Node): boolean {
  if (own.kind !== "object" || node.kind !== "object") return false;
  return Object.entries(own.fields).some(([key, field]) => field.node.kind === "literal" && !(key in node.fields));
}
