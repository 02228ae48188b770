/**
 * Prints a schema of lib/schema as JSON Schema (draft 2020-12), and finds keys that a
 * schema does not have.
 *
 * Both are for files that users write: an unknown key there is a typing error, while on
 * the wire it is a newer protocol. `references` replaces placeholder nodes by named
 * definitions, which is how a schema refers to itself.
 */
import { isRecord, type Node } from "../../schema/index.ts";

export interface NamedNode {
  readonly name: string;
  readonly node: Node;
}

/** Placeholder nodes and the definitions that replace them. */
export type References = ReadonlyMap<Node, NamedNode>;

type Json = Readonly<Record<string, unknown>>;

export function jsonSchema(title: string, root: Node, references: References = new Map()): Json {
  const print = (node: Node): Json => printed(node, references, print);
  const definitions = [...references.values()].map(({ name, node }) => [name, print(node)] as const);
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title,
    ...print(root),
    ...(definitions.length > 0 && { $defs: Object.fromEntries(definitions) }),
  };
}

function printed(node: Node, references: References, print: (node: Node) => Json): Json {
  const reference = references.get(node);
  if (reference !== undefined) return { $ref: `#/$defs/${reference.name}` };
  switch (node.kind) {
    case "unknown":
      return {};
    case "string":
      return node.minLength > 0 ? { type: "string", minLength: node.minLength } : { type: "string" };
    case "boolean":
    case "number":
      return { type: node.kind };
    case "integer":
      return {
        type: "integer",
        ...(Number.isFinite(node.min) && { minimum: node.min }),
        ...(Number.isFinite(node.max) && { maximum: node.max }),
      };
    case "literal":
      return { const: node.value };
    case "enum":
      return node.open ? { type: "string", examples: node.values } : { enum: node.values };
    case "refined":
      return { ...print(node.inner), description: node.expected };
    case "nullable":
      return { anyOf: [print(node.inner), { type: "null" }] };
    case "nullTo":
    case "errorTo":
      return print(node.inner);
    case "array":
      return { type: "array", items: print(node.items) };
    case "record":
      return { type: "object", additionalProperties: print(node.values) };
    case "object": {
      const fields = Object.entries(node.fields);
      const required = fields.filter(([, field]) => field.required).map(([key]) => key);
      return {
        type: "object",
        properties: Object.fromEntries(fields.map(([key, field]) => [key, print(field.node)])),
        ...(required.length > 0 && { required }),
        additionalProperties: false,
      };
    }
    case "tagged":
      return { oneOf: Object.values(node.variants).map(print) };
    case "either":
      return { anyOf: node.options.map(print) };
  }
}

/** The paths of keys in a valid value that its schema does not have. */
export function unknownKeys(
  node: Node,
  value: unknown,
  references: References = new Map(),
): readonly (readonly (string | number)[])[] {
  const real = references.get(node)?.node ?? node;
  const below = (inner: Node, part: unknown, step: string | number): readonly (readonly (string | number)[])[] =>
    unknownKeys(inner, part, references).map((path) => [step, ...path]);
  switch (real.kind) {
    case "refined":
    case "nullable":
    case "nullTo":
    case "errorTo":
      return unknownKeys(real.inner, value, references);
    case "array":
      return Array.isArray(value) ? value.flatMap((part, i) => below(real.items, part, i)) : [];
    case "record":
      return isRecord(value) ? Object.entries(value).flatMap(([key, part]) => below(real.values, part, key)) : [];
    case "object":
      return isRecord(value)
        ? Object.entries(value).flatMap(([key, part]) => {
            const field = Object.hasOwn(real.fields, key) ? real.fields[key] : undefined;
            return field === undefined ? [[key]] : below(field.node, part, key);
          })
        : [];
    case "tagged": {
      const name = isRecord(value) ? value[real.tag] : undefined;
      const variant = typeof name === "string" ? real.variants[name] : undefined;
      return variant === undefined ? [] : unknownKeys(variant, value, references);
    }
    case "either": {
      const option = real.options.find((one) => fits(one, value));
      return option === undefined ? [] : unknownKeys(option, value, references);
    }
    case "unknown":
    case "string":
    case "boolean":
    case "number":
    case "integer":
    case "literal":
    case "enum":
      return [];
  }
}

/** Whether a value, which is valid for one option of a union, is meant for this option. */
function fits(node: Node, value: unknown): boolean {
  if (node.kind === "array") return Array.isArray(value);
  if (node.kind !== "object") return !isRecord(value) && !Array.isArray(value);
  if (!isRecord(value)) return false;
  return Object.entries(node.fields).every(([key, { required }]) => !required || Object.hasOwn(value, key));
}
