/**
 * Schemas of unions.
 *
 * `tagged` chooses the variant by a string field, so a fault names that variant only.
 * `byKey` chooses by a key that only one variant has. `either` tries each schema in
 * order and is meant for small unions of plain values.
 */
import { isRecord, notObject } from "./collection.ts";
import { Fault } from "./fault.ts";
import type { ObjectSchema } from "./object.ts";
import { type Node, type Schema, schema, type Static } from "./schema.ts";

type Reader = (value: object) => unknown;
type Variants = Readonly<Record<string, Schema<any>>>;

/** A union whose variant is named by the string under `tag`. */
export function tagged<const V extends Variants>(tag: string, variants: V): Schema<Static<V[keyof V]>>;
/** The same, but a value whose tag is missing or not in the table is read as `otherwise`. */
export function tagged<const V extends Variants, T>(
  tag: string,
  variants: V,
  otherwise: Schema<T>,
): Schema<Static<V[keyof V]> | T>;
export function tagged(tag: string, variants: Variants, otherwise?: Schema<unknown>): Schema<unknown> {
  let readers: ReadonlyMap<unknown, Reader> | undefined;
  const wrong = new Fault(`one of ${Object.keys(variants).join(", ")}`, [tag]);
  const untagged = new Fault("given", [tag]);
  // Messages of one kind arrive in runs, so remembering the last variant saves most look-ups.
  let lastName: unknown;
  let lastReader: Reader | undefined;
  return schema(
    (value) => {
      if (!isRecord(value)) return notObject;
      const name = value[tag];
      if (name !== lastName || lastReader === undefined) {
        readers ??= readersOf(tag, variants);
        const reader = readers.get(name);
        if (reader === undefined) {
          if (otherwise !== undefined) return otherwise.read(value);
          return name === undefined ? untagged : wrong;
        }
        lastName = name;
        lastReader = reader;
      }
      return lastReader(value);
    },
    () => {
      const nodes = Object.entries(variants).map(([name, variant]): [string, Node] => [name, variant.node]);
      return { kind: "tagged", tag, variants: Object.fromEntries(nodes), otherwise: otherwise?.node };
    },
  );
}

function readersOf(tag: string, variants: Variants): ReadonlyMap<unknown, Reader> {
  const readers = new Map<unknown, Reader>();
  for (const [name, variant] of Object.entries(variants)) {
    readers.set(name, hasFields(variant) ? variant.fieldsReader(tag) : variant.read);
  }
  return readers;
}

/**
 * A union whose variant is the first of these keys that is present. A key whose value is
 * null counts only when no other key is present.
 */
export function byKey<const V extends Variants>(variants: V): Schema<Static<V[keyof V]>> {
  const entries = Object.entries(variants);
  const wrong = new Fault(`an object with ${Object.keys(variants).join(" or ")}`);
  return schema(
    (value) => {
      if (!isRecord(value)) return notObject;
      const there = entries.filter(([key]) => Object.hasOwn(value, key));
      const [, variant] = there.find(([key]) => value[key] !== null) ?? there[0] ?? [];
      return variant?.read(value) ?? wrong;
    },
    () => ({ kind: "either", options: entries.map(([, variant]) => variant.node) }),
  );
}

/** Reads the value with the first of these schemas that accepts it. */
export function either<const S extends readonly Schema<any>[]>(
  expected: string,
  ...options: S
): Schema<Static<S[number]>> {
  const wrong = new Fault(expected);
  return schema(
    (value) => {
      for (const option of options) {
        const got: unknown = option.read(value);
        if (!(got instanceof Fault)) return got as Static<S[number]>;
      }
      return wrong;
    },
    () => ({ kind: "either", options: options.map((option) => option.node) }),
  );
}

function hasFields(schema: Schema<unknown>): schema is ObjectSchema<unknown> {
  return "fieldsReader" in schema;
}
