/**
 * Schemas of scalars: strings, numbers, booleans, literals and enums.
 */
import { Fault } from "./fault.ts";
import { type Schema, schema } from "./schema.ts";

const notString = new Fault("string");
const notBoolean = new Fault("boolean");
const notNumber = new Fault("number");

/** Any JSON value, returned unchanged. */
export const unknown: Schema<unknown> = { node: { kind: "unknown" }, read: (value) => value };

export const string: Schema<string> = {
  node: { kind: "string", minLength: 0 },
  read: (value) => (typeof value === "string" ? value : notString),
};

/** A string with at least one character. */
export const nonEmptyString: Schema<string> = {
  node: { kind: "string", minLength: 1 },
  read: (value) => (typeof value === "string" && value !== "" ? value : notEmptyString),
};
const notEmptyString = new Fault("a string that is not empty");

export const boolean: Schema<boolean> = {
  node: { kind: "boolean" },
  read: (value) => (typeof value === "boolean" ? value : notBoolean),
};

export const number: Schema<number> = {
  node: { kind: "number" },
  read: (value) => (typeof value === "number" ? value : notNumber),
};

/**
 * An integer between two bounds. Checked by `isInteger` and not `isSafeInteger`,
 * because 64-bit fields of the protocol go past 2^53.
 */
export function integer(min = -Infinity, max = Infinity): Schema<number> {
  const wrong = new Fault(describeRange(min, max));
  return {
    node: { kind: "integer", min, max },
    read: (value) =>
      Number.isInteger(value) && (value as number) >= min && (value as number) <= max ? (value as number) : wrong,
  };
}

export const uint16: Schema<number> = integer(0, 2 ** 16 - 1);
export const uint32: Schema<number> = integer(0, 2 ** 32 - 1);
export const uint64: Schema<number> = integer(0, 2 ** 64);
export const int64: Schema<number> = integer(-(2 ** 63), 2 ** 63);

/** Exactly this string. */
export function literal<const T extends string>(value: T): Schema<T> {
  return {
    node: { kind: "literal", value },
    read: (given) => (given === value ? value : new Fault(JSON.stringify(value))),
  };
}

/** One of these strings and no other. */
export function oneOf<const T extends string>(...values: readonly T[]): Schema<T> {
  const known: ReadonlySet<unknown> = new Set(values);
  const wrong = new Fault(`one of ${values.join(", ")}`);
  // The set holds only T, so membership proves the type.
  return { node: { kind: "enum", values, open: false }, read: (value) => (known.has(value) ? (value as T) : wrong) };
}

/** One of these strings, or a string this version does not know. */
export function open<const T extends string>(...values: readonly T[]): Schema<T | (string & {})> {
  return { node: { kind: "enum", values, open: true }, read: string.read };
}

/** A schema with one more condition; `expected` words it for the fault. */
export function refine<T>(inner: Schema<T>, expected: string, holds: (value: T) => boolean): Schema<T> {
  const wrong = new Fault(expected);
  return schema(
    (value) => {
      const got = inner.read(value);
      return got instanceof Fault ? got : holds(got) ? got : wrong;
    },
    () => ({ kind: "refined", inner: inner.node, expected }),
  );
}

/** Leaves out bounds past 2^53: they are limits of the wire type and explain nothing to the reader. */
function describeRange(min: number, max: number): string {
  const hasMin = min >= Number.MIN_SAFE_INTEGER;
  const hasMax = max <= Number.MAX_SAFE_INTEGER;
  if (hasMin && hasMax) return `an integer from ${min} to ${max}`;
  if (hasMin) return `an integer, ${min} or more`;
  return hasMax ? `an integer, ${max} or less` : "an integer";
}
