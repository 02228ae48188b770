/**
 * Makes right and wrong sample values from a schema's node.
 */
import type { Field, Node } from "../../../lib/schema/index.ts";

export type Fields = Readonly<Record<string, Field>>;

/** A right value with every field filled in. */
export function sample(node: Node): unknown {
  switch (node.kind) {
    case "unknown":
      return { any: ["JSON", 1, null] };
    case "string":
      // An absolute path will do for any text.
      return "/text";
    case "boolean":
      return true;
    case "number":
      return 0.5;
    case "integer":
      return Math.max(node.min, 1);
    case "literal":
      return node.value;
    case "enum":
      return node.values[0];
    case "refined":
      return node.expected === "uri" ? "https://example.org" : sample(node.inner);
    case "nullable":
    case "nullTo":
    case "errorTo":
      return sample(node.inner);
    case "array":
      return [sample(node.items)];
    case "record":
      return { key: sample(node.values) };
    case "object":
      return sampleObject(node.fields);
    case "tagged":
      return sample(firstOf(Object.values(node.variants)));
    case "either":
      return sample(firstOf(node.options));
  }
}

/** A right object; with `isBare`, only its required keys. */
export function sampleObject(fields: Fields, isBare = false): Readonly<Record<string, unknown>> {
  const kept = Object.entries(fields).filter(([, { required }]) => required || !isBare);
  return Object.fromEntries(kept.map(([key, { node }]) => [key, sample(node)]));
}

/** A value that is wrong here and not null; undefined where nothing is wrong. */
export function wrongFor(node: Node): unknown {
  switch (node.kind) {
    case "unknown":
      return undefined;
    case "record":
    case "object":
    case "tagged":
      return 5;
    case "nullable":
    case "nullTo":
    case "errorTo":
    case "refined":
      return wrongFor(node.inner);
    case "either":
      return node.options.some(({ kind }) => kind === "object") ? 5 : { wrong: true };
    case "string":
    case "boolean":
    case "number":
    case "integer":
    case "literal":
    case "enum":
    case "array":
      return { wrong: true };
  }
}

/** The value of a field for which the schema has a default. */
export function defaultFor(node: Node): unknown {
  if ("inner" in node) return defaultFor(node.inner);
  return node.kind === "array" ? [] : {};
}

/** Every object a node can be, with a name for each. */
export function objectsOf(
  node: Node,
  name: string,
): readonly (readonly [name: string, fields: Fields, tag?: string])[] {
  switch (node.kind) {
    case "object":
      return [[name, node.fields]];
    case "either":
      return node.options.flatMap((option, i) => objectsOf(option, `${name} ${i + 1}`));
    case "tagged": {
      const variants = Object.entries(node.variants).flatMap(([value, variant]) =>
        objectsOf(variant, `${name} ${value}`).map(([each, fields]) => [each, fields, node.tag] as const),
      );
      return [
        ...variants,
        ...(node.otherwise === undefined ? [] : objectsOf(node.otherwise, `${name} of no known tag`)),
      ];
    }
    case "nullable":
    case "nullTo":
    case "errorTo":
    case "refined":
      return objectsOf(node.inner, name);
    case "unknown":
    case "string":
    case "boolean":
    case "number":
    case "integer":
    case "literal":
    case "enum":
    case "array":
    case "record":
      return [];
  }
}

function firstOf(nodes: readonly Node[]): Node {
  const [first] = nodes;
  if (first === undefined) throw new RangeError("a union of nothing");
  return first;
}
