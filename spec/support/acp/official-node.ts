/**
 * Reads the official JSON schema as nodes of our own kind.
 *
 * References are followed, `allOf` is merged and a union's common fields are copied into
 * its variants, so that the rest can be compared key by key. Every node remembers the
 * definitions it was made from.
 */
import type { Field, Node } from "../../../lib/schema/index.ts";
import { type JsonSchema, type OfficialSchema, referenced } from "./official-schema.ts";

export interface OfficialNodes {
  readonly node: (definition: string) => Node;
  /** The definitions that this node was made from or contains. */
  readonly namesOf: (node: Node) => readonly string[];
}

/** An object's fields, once its `allOf` and `anyOf` are merged into it. */
interface Flat {
  readonly properties: Readonly<Record<string, JsonSchema>>;
  readonly required: readonly string[];
}

export function officialNodes({ $defs }: OfficialSchema): OfficialNodes {
  const nodes = new Map<string, Node>();
  const names = new Map<Node, string[]>();

  function node(definition: string): Node {
    const known = nodes.get(definition);
    if (known !== undefined) return known;
    const made = read(defined(definition));
    nodes.set(definition, made);
    remember(made, [definition]);
    return made;
  }

  function defined(name: string): JsonSchema {
    const schema = $defs[name];
    if (schema === undefined) throw new RangeError(`the official schema has no ${name}`);
    return schema;
  }

  function remember(made: Node, more: readonly string[]): void {
    names.set(made, [...(names.get(made) ?? []), ...more]);
  }

  function read(schema: JsonSchema): Node {
    if (schema.$ref !== undefined) return node(referenced(schema.$ref));
    const [only, ...others] = schema.allOf ?? [];
    if (only !== undefined && others.length === 0 && schema.properties === undefined) return read(only);
    if (schema.properties === undefined && Array.isArray(schema.type)) {
      const [type] = schema.type.filter((name) => name !== "null");
      return { kind: "nullable", inner: read({ ...schema, type }) };
    }
    const alternatives = schema.anyOf ?? schema.oneOf;
    return alternatives === undefined ? readPlain(schema) : readAlternatives(schema, alternatives);
  }

  function readPlain(schema: JsonSchema): Node {
    switch (schema.type) {
      case undefined:
        return { kind: "unknown" };
      case "string": {
        const text: Node = { kind: "string", minLength: schema.minLength ?? 0 };
        return schema.format === undefined ? text : { kind: "refined", inner: text, expected: schema.format };
      }
      case "boolean":
      case "number":
        return { kind: schema.type };
      case "integer":
        return readInteger(schema);
      case "array": {
        const skipInvalid = schema["x-deserialize-skip-invalid-items"] === true;
        return { kind: "array", items: read(schema.items ?? {}), skipInvalid };
      }
      case "object": {
        const { properties, additionalProperties: values } = schema;
        if (properties === undefined && values !== undefined) {
          return { kind: "record", values: typeof values === "boolean" ? { kind: "unknown" } : read(values) };
        }
        return readObjects(flatten(schema));
      }
      default:
        throw new RangeError(`a type nobody expected: ${String(schema.type)}`);
    }
  }

  function readAlternatives(schema: JsonSchema, alternatives: readonly JsonSchema[]): Node {
    const present = alternatives.filter(({ type }) => type !== "null");
    if (present.length < alternatives.length) return { kind: "nullable", inner: read({ ...schema, anyOf: present }) };
    const [first] = present;
    if (first !== undefined && present.length === 1) {
      // One constant is a list of one; one reference is its definition.
      return first.const === undefined ? read(first) : { kind: "enum", values: [String(first.const)], open: false };
    }
    const values = present.filter(({ const: value }) => value !== undefined).map(({ const: value }) => String(value));
    if (values.length > 0) return { kind: "enum", values, open: values.length < present.length };
    const tag = present.map(tagOf).find((name) => name !== undefined);
    if (tag !== undefined) return readTagged(schema, present, tag);
    return { kind: "either", options: present.map(read) };
  }

  function readTagged(schema: JsonSchema, alternatives: readonly JsonSchema[], tag: string): Node {
    const variants: Record<string, Node> = {};
    const rest: Node[] = [];
    const { anyOf: _anyOf, oneOf: _oneOf, ...common } = schema;
    for (const alternative of alternatives) {
      const variant = readObjects(flatten({ properties: {}, allOf: [common, alternative] }));
      const value = alternative.properties?.[tag]?.const;
      if (value === undefined) rest.push(variant);
      else variants[String(value)] = variant;
    }
    const [only] = rest;
    const otherwise: Node | undefined = rest.length > 1 ? { kind: "either", options: rest } : only;
    const made: Node = { kind: "tagged", tag, variants, otherwise };
    remember(made, alternatives.flatMap(partsOf));
    return made;
  }

  /** The definitions merged into a schema, at any depth of merging. */
  function partsOf(schema: JsonSchema): string[] {
    const own = schema.$ref === undefined ? [] : [referenced(schema.$ref)];
    const merged = [...(schema.allOf ?? []), ...(schema.anyOf ?? []), ...own.map(defined)];
    return [...own, ...merged.flatMap(partsOf)];
  }

  function readObjects(flats: readonly Flat[]): Node {
    const objects = flats.map(({ properties, required }): Node => {
      const fields: Record<string, Field> = {};
      for (const [key, schema] of Object.entries(properties)) fields[key] = readField(schema, required.includes(key));
      return { kind: "object", fields };
    });
    const [only] = objects;
    return only !== undefined && objects.length === 1 ? only : { kind: "either", options: objects };
  }

  function readField(schema: JsonSchema, required: boolean): Field {
    const forgives = schema["x-deserialize-default-on-error"] === true;
    let inner: Node =
      typeof schema.const === "string" ? { kind: "enum", values: [schema.const], open: false } : read(schema);
    if (schema["x-deserialize-default-on-null"] === true) inner = { kind: "nullTo", inner };
    return forgives && required
      ? { node: { kind: "errorTo", inner }, required, lenient: false }
      : { node: inner, required, lenient: forgives };
  }

  function flatten(schema: JsonSchema): readonly Flat[] {
    if (schema.$ref !== undefined) return flatten(defined(referenced(schema.$ref)));
    let flats: readonly Flat[] = [{ properties: schema.properties ?? {}, required: schema.required ?? [] }];
    for (const part of schema.allOf ?? []) flats = product(flats, flatten(part));
    const alternatives = schema.anyOf ?? schema.oneOf;
    return alternatives === undefined ? flats : product(flats, alternatives.flatMap(flatten));
  }

  return { node, namesOf: (made) => names.get(made) ?? [] };
}

function product(left: readonly Flat[], right: readonly Flat[]): readonly Flat[] {
  return left.flatMap((a) =>
    right.map((b) => ({
      properties: { ...a.properties, ...b.properties },
      required: [...a.required, ...b.required],
    })),
  );
}

/** The key that holds a constant in this alternative. */
function tagOf({ properties = {} }: JsonSchema): string | undefined {
  return Object.keys(properties).find((key) => properties[key]?.const !== undefined);
}

function readInteger({ format, minimum, maximum }: JsonSchema): Node {
  const [min, max] = bounds.get(format ?? "") ?? [-Infinity, Infinity];
  return { kind: "integer", min: minimum ?? min, max: maximum ?? max };
}

const bounds: ReadonlyMap<string, readonly [number, number]> = new Map([
  ["uint16", [0, 2 ** 16 - 1]],
  ["uint32", [0, 2 ** 32 - 1]],
  // Past 2^53 the number next to the power of two is rounded to it.
  ["uint64", [0, 2 ** 64]],
  ["int64", [-(2 ** 63), 2 ** 63]],
]);
