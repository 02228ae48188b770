/**
 * Schemas of objects with named fields, each required, optional or lenient.
 *
 * Unknown keys pass through, because protocols grow by adding keys. Reading walks
 * the value's own keys once and returns the same object unless a field was repaired.
 */
import { isRecord, notObject } from "./collection.ts";
import { Fault } from "./fault.ts";
import { string } from "./scalar.ts";
import { type Field, LazySchema, type Node, type Schema } from "./schema.ts";

/** A key that may be left out. `lenient` also drops it when its value is wrong. */
export interface Optional<T> {
  readonly optional: Schema<T>;
  readonly lenient: boolean;
}

export type Shape = Readonly<Record<string, Schema<any> | Optional<any>>>;

type RequiredKeys<S extends Shape> = { [K in keyof S]: S[K] extends Schema<any> ? K : never }[keyof S];
type OptionalKeys<S extends Shape> = { [K in keyof S]: S[K] extends Optional<any> ? K : never }[keyof S];

/** The type an object of this shape reads. */
export type ObjectOf<S extends Shape> = {
  readonly [K in RequiredKeys<S>]: S[K] extends Schema<infer T> ? T : never;
} & {
  readonly [K in OptionalKeys<S>]?: (S[K] extends Optional<infer T> ? T : never) | undefined;
};

/** A schema of an object, which can skip one key that the caller has already checked. */
export interface ObjectSchema<T> extends Schema<T> {
  /** Makes a reader for values that are objects and whose `known` key is right. */
  readonly fieldsReader: (known: string) => (value: object) => T | Fault;
}

/** The key may be left out; a wrong value is a fault. */
export function optional<T>(schema: Schema<T>): Optional<T> {
  return { optional: schema, lenient: false };
}

/** The key may be left out, and a wrong value counts as left out. */
export function lenient<T>(schema: Schema<T>): Optional<T> {
  return { optional: schema, lenient: true };
}

export function object<const S extends Shape>(shape: S): ObjectSchema<ObjectOf<S>> {
  if (countRequired(shape) > maxRequired) {
    throw new RangeError(`an object must not have more than ${maxRequired} required fields`);
  }
  return new LazyObject<ObjectOf<S>>(shape);
}

/**
 * Compiles its shape at the first `read`. A program reads few of its schemas at the
 * start, and compiling all of ACP's at once takes a tenth of the time to the first
 * response (`npm run bench -- start-up`).
 */
class LazyObject<T> extends LazySchema<T> implements ObjectSchema<T> {
  readonly #shape: Shape;

  constructor(shape: Shape) {
    let readFields: ((value: object) => T | Fault) | undefined;
    super(
      (value) => (isRecord(value) ? (readFields ??= fieldsReader<T>(shape))(value) : notObject),
      () => nodeOf(shape),
    );
    this.#shape = shape;
  }

  fieldsReader(known: string): (value: object) => T | Fault {
    return fieldsReader<T>(this.#shape, known);
  }
}

/** One bit of a 32-bit integer for each required field. */
const maxRequired = 32;

function countRequired(shape: Shape): number {
  let count = 0;
  for (const key in shape) if (!isOptional(shape[key])) count++;
  return count;
}

function isOptional(part: Shape[string] | undefined): part is Optional<any> {
  return part !== undefined && "optional" in part;
}

function nodeOf(shape: Shape): Node {
  const fields = Object.entries(shape).map(([key, part]): [string, Field] => [
    key,
    isOptional(part)
      ? { node: part.optional.node, required: false, lenient: part.lenient }
      : { node: part.node, required: true, lenient: false },
  ]);
  return { kind: "object", fields: Object.fromEntries(fields) };
}

const isRead = 0;
const isString = 1;
const isKnown = 2;

interface ObjectField {
  readonly key: string;
  readonly check: typeof isRead | typeof isString | typeof isKnown;
  readonly read: (value: unknown) => unknown;
  /** This field's bit in the set of required fields; 0 when the field is optional. */
  readonly bit: number;
  readonly isLenient: boolean;
  /** The entry that followed this one in the value read last. */
  next: ObjectField | undefined;
}

/**
 * Messages of one kind carry their keys in the same order. So each entry remembers its
 * successor, and most keys are found by one comparison instead of a map look-up.
 * Strings are checked in place. Reading a text chunk takes 0.08 of its JSON.parse this
 * way, 0.20 with a look-up for each key, and 0.23 when each field is read in turn
 * (`npm run bench -- schema`).
 */
function fieldsReader<T>(shape: Shape, known?: string): (value: object) => T | Fault {
  const fields = entriesOf(shape, known);
  let requiredBits = 0;
  for (const { bit } of fields.values()) requiredBits |= bit;
  const start: ObjectField = { key: "", check: isKnown, read: Object, bit: 0, isLenient: false, next: undefined };
  return (value) => {
    const given = value as Readonly<Record<string, unknown>>;
    let seen = 0;
    let last = start;
    let copy: Record<string, unknown> | undefined;
    for (const key in given) {
      let entry = last.next;
      if (entry === undefined || entry.key !== key) {
        entry = fields.get(key);
        if (entry === undefined) continue;
        last.next = entry;
      }
      last = entry;
      if (entry.check !== isKnown) {
        const part = given[key];
        let got: unknown;
        if (entry.check === isString ? typeof part !== "string" : (got = entry.read(part)) !== part) {
          if (part === undefined) {
            if (entry.bit === 0) continue;
            return new Fault("given", [key]);
          }
          if (entry.check === isString) got = entry.read(part);
          if (got instanceof Fault && !entry.isLenient) return got.under(key);
          copy ??= { ...given };
          if (got instanceof Fault) delete copy[key];
          else copy[key] = got;
        }
      }
      seen |= entry.bit;
    }
    if (seen !== requiredBits) return missing(fields, seen);
    // Every required field was seen and every field was read.
    return (copy ?? given) as T;
  };
}

function entriesOf(shape: Shape, known: string | undefined): ReadonlyMap<string, ObjectField> {
  const fields = new Map<string, ObjectField>();
  let nextBit = 1;
  for (const [key, part] of Object.entries(shape)) {
    const schema: Schema<unknown> = isOptional(part) ? part.optional : part;
    const bit = isOptional(part) ? 0 : nextBit;
    if (bit !== 0) nextBit <<= 1;
    const check = key === known ? isKnown : schema === string ? isString : isRead;
    const isLenient = isOptional(part) && part.lenient;
    fields.set(key, { key, check, read: schema.read, bit, isLenient, next: undefined });
  }
  return fields;
}

function missing(fields: ReadonlyMap<string, ObjectField>, seen: number): Fault {
  for (const entry of fields.values()) {
    if ((entry.bit & seen) === 0 && entry.bit !== 0) return new Fault("given", [entry.key]);
  }
  return notObject;
}
