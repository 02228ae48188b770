/**
 * Unions: one of several shapes.
 *
 * `tagged` looks a literal up and reads one variant, so a fault speaks of that
 * variant alone; `byKey` tells shapes apart by a key only one of them has;
 * `either` tries in order and is kept for small unions of plain values.
 */
import { isRecord } from "./collection.ts";
import { Fault } from "./fault.ts";
import type { ObjectSchema } from "./object.ts";
import type { Schema, Static } from "./schema.ts";

type Variants = Readonly<Record<string, Schema<any>>>;

const notObject = new Fault("an object");

/** Variants told apart by the string under `tag`. */
export function tagged<const V extends Variants>(tag: string, variants: V): Schema<Static<V[keyof V]>>;
/** As above; a value whose tag is missing or not in the table is read as `otherwise`. */
export function tagged<const V extends Variants, T>(
  tag: string,
  variants: V,
  otherwise: Schema<T>,
): Schema<Static<V[keyof V]> | T>;
export function tagged(tag: string, variants: Variants, otherwise?: Schema<unknown>): Schema<unknown> {
  const readers = new Map<unknown, (value: object) => unknown>();
  for (const [name, variant] of Object.entries(variants)) {
    readers.set(name, hasFields(variant) ? variant.fieldsReader(tag) : variant.read);
  }
  const wrong = new Fault(`one of ${Object.keys(variants).join(", ")}`, [tag]);
  const untagged = new Fault("given", [tag]);
  // Messages of one kind come in runs; remembering the last variant saves its look-up.
  let lastName: unknown;
  let lastReader: ((value: object) => unknown) | undefined;
  return {
    node: {
      kind: "tagged",
      tag,
      variants: Object.fromEntries(Object.entries(variants).map(([name, variant]) => [name, variant.node])),
      otherwise: otherwise?.node,
    },
    read: (value) => {
      if (!isRecord(value)) return notObject;
      const name = value[tag];
      if (name !== lastName || lastReader === undefined) {
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
  };
}

/** Variants told apart by which of these keys is there; a null counts last, and the first listed wins. */
export function byKey<const V extends Variants>(variants: V): Schema<Static<V[keyof V]>> {
  const entries = Object.entries(variants);
  const wrong = new Fault(`an object with ${Object.keys(variants).join(" or ")}`);
  return {
    node: { kind: "either", options: entries.map(([, variant]) => variant.node) },
    read: (value) => {
      if (!isRecord(value)) return notObject;
      const there = entries.filter(([key]) => Object.hasOwn(value, key));
      const [, variant] = there.find(([key]) => value[key] !== null) ?? there[0] ?? [];
      return variant?.read(value) ?? wrong;
    },
  };
}

/** The first of these schemas that reads the value. */
export function either<const S extends readonly Schema<any>[]>(
  expected: string,
  ...options: S
): Schema<Static<S[number]>> {
  const wrong = new Fault(expected);
  return {
    node: { kind: "either", options: options.map((option) => option.node) },
    read: (value) => {
      for (const option of options) {
        const got: unknown = option.read(value);
        if (!(got instanceof Fault)) return got as Static<S[number]>;
      }
      return wrong;
    },
  };
}

function hasFields(schema: Schema<unknown>): schema is ObjectSchema<unknown> {
  return "fieldsReader" in schema;
}
