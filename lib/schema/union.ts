/**
 * Unions: one of several shapes.
 *
 * `tagged` looks a literal up and reads one variant, so a fault speaks of that
 * variant alone; `byKey` tells shapes apart by a key only one of them has;
 * `either` tries in order and is kept for small unions of plain values.
 */
import { isRecord, notObject } from "./collection.ts";
import { Fault } from "./fault.ts";
import type { ObjectSchema } from "./object.ts";
import { type Node, type Schema, schema, type Static } from "./schema.ts";

type Reader = (value: object) => unknown;
type Variants = Readonly<Record<string, Schema<any>>>;

/** Variants told apart by the string under `tag`. */
export function tagged<const V extends Variants>(tag: string, variants: V): Schema<Static<V[keyof V]>>;
/** As above; a value whose tag is missing or not in the table is read as `otherwise`. */
export function tagged<const V extends Variants, T>(
  tag: string,
  variants: V,
  otherwise: Schema<T>,
): Schema<Static<V[keyof V]> | T>;
export function tagged(tag: string, variants: Variants, otherwise?: Schema<unknown>): Schema<unknown> {
  let readers: ReadonlyMap<unknown, Reader> | undefined;
  const wrong = new Fault(`one of ${Object.keys(variants).join(", ")}`, [tag]);
  const untagged = new Fault("given", [tag]);
  // Messages of one kind come in runs; remembering the last variant saves its look-up.
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

/** Variants told apart by which of these keys is there; a null counts last, and the first listed wins. */
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

/** The first of these schemas that reads the value. */
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
