/**
 * Schemas of arrays and records, schemas that replace a null or a wrong value, and
 * helpers that read fields of a value without a schema.
 *
 * A collection is copied only when one of its values was repaired.
 */
import { Fault } from "./fault.ts";
import { type Schema, schema } from "./schema.ts";

const notArray = new Fault("an array");
export const notObject = new Fault("an object");

/** An array in which one wrong item makes the whole array a fault. */
export function array<T>(item: Schema<T>): Schema<readonly T[]> {
  return schema(
    (value) => {
      if (!Array.isArray(value)) return notArray;
      let copy: unknown[] | undefined;
      for (let i = 0; i < value.length; i++) {
        const got = item.read(value[i]);
        if (got === value[i]) continue;
        if (got instanceof Fault) return got.under(i);
        copy ??= value.slice();
        copy[i] = got;
      }
      // Each item was read, so the array holds only T.
      return (copy ?? value) as readonly T[];
    },
    () => ({ kind: "array", items: item.node, skipInvalid: false }),
  );
}

/** An array from which wrong items are dropped. */
export function items<T>(item: Schema<T>): Schema<readonly T[]> {
  return schema(
    (value) => {
      if (!Array.isArray(value)) return notArray;
      let copy: unknown[] | undefined;
      for (let i = 0; i < value.length; i++) {
        const got = item.read(value[i]);
        if (copy === undefined && got === value[i]) continue;
        copy ??= value.slice(0, i);
        if (!(got instanceof Fault)) copy.push(got);
      }
      // Each kept item was read, so the array holds only T.
      return (copy ?? value) as readonly T[];
    },
    () => ({ kind: "array", items: item.node, skipInvalid: true }),
  );
}

/** An object used as a map: any keys, values of one schema. */
export function record<T>(values: Schema<T>): Schema<Readonly<Record<string, T>>> {
  return schema(
    (value) => {
      if (!isRecord(value)) return notObject;
      let repaired: Map<string, unknown> | undefined;
      for (const key of Object.keys(value)) {
        const got = values.read(value[key]);
        if (got === value[key]) continue;
        if (got instanceof Fault) return got.under(key);
        (repaired ??= new Map<string, unknown>()).set(key, got);
      }
      // `fromEntries` defines keys rather than assigning them, so "__proto__" stays a key.
      const copy = repaired && Object.fromEntries([...Object.entries(value), ...repaired]);
      return (copy ?? value) as Readonly<Record<string, T>>;
    },
    () => ({ kind: "record", values: values.node }),
  );
}

/** Accepts null as well as what `inner` accepts. */
export function nullable<T>(inner: Schema<T>): Schema<T | null> {
  return schema(
    (value) => (value === null ? null : inner.read(value)),
    () => ({ kind: "nullable", inner: inner.node }),
  );
}

/** Reads null as `instead()`; any other wrong value is a fault. */
export function nullTo<T>(inner: Schema<T>, instead: () => T): Schema<T> {
  return schema(
    (value) => inner.read(value === null ? instead() : value),
    () => ({ kind: "nullTo", inner: inner.node }),
  );
}

/** Reads a wrong value as `instead()`; a missing key is still a fault. */
export function errorTo<T>(inner: Schema<T>, instead: () => T): Schema<T> {
  return schema(
    (value) => {
      const got = inner.read(value);
      return got instanceof Fault ? instead() : got;
    },
    () => ({ kind: "errorTo", inner: inner.node }),
  );
}

/** Reads an object without this key as if the key held `instead()`; the type still requires the key. */
export function absentTo<T extends object, K extends keyof T & string>(
  inner: Schema<T>,
  key: K,
  instead: () => T[K],
): Schema<T> {
  return schema(
    (value) => inner.read(isRecord(value) && value[key] === undefined ? { ...value, [key]: instead() } : value),
    () => inner.node,
  );
}

/** An object whose fields have not been checked. */
export type Fields = Readonly<Record<string, unknown>>;

/** Whether the value is an object, but neither null nor an array. */
export function isRecord(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** The first of these fields that holds a non-empty string. */
export function textIn(fields: Readonly<Record<string, unknown>>, ...keys: readonly string[]): string | undefined {
  for (const key of keys) {
    const value = fields[key];
    if (typeof value === "string" && value !== "") return value;
  }
  return undefined;
}

/** The object at a key; an empty one when there is none. */
export function recordIn(fields: Readonly<Record<string, unknown>>, key: string): Readonly<Record<string, unknown>> {
  const value = fields[key];
  return isRecord(value) ? value : {};
}

/** The objects of the list at a key; none when there is no list. */
export function recordsIn(
  fields: Readonly<Record<string, unknown>>,
  key: string,
): readonly Readonly<Record<string, unknown>>[] {
  const value = fields[key];
  return Array.isArray(value) ? value.filter(isRecord) : [];
}
