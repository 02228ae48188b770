/**
 * Shape: where a value departs from the protocol's schema.
 *
 * What a reader forgives, a writer must not do: a lenient part that is wrong counts.
 */
import { Fault, isRecord, type Schema } from "../../schema/index.ts";

/** Undefined when all is as the schema has it. */
export function faultIn(schema: Schema<unknown>, value: unknown): string | undefined {
  const read = schema.read(value);
  if (read instanceof Fault) return read.describe("it");
  return Object.is(read, value) ? undefined : `${differing(value, read) || "it"} is not as the schema has it`;
}

export function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : {};
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The path to the first part that was repaired. */
function differing(left: unknown, right: unknown): string {
  const [before, after] = [partsOf(left), partsOf(right)];
  for (const key of new Set([...before.keys(), ...after.keys()])) {
    const [one, other] = [before.get(key), after.get(key)];
    if (Object.is(one, other)) continue;
    return [key, differing(one, other)].filter((step) => step !== "").join(".");
  }
  return "";
}

function partsOf(value: unknown): ReadonlyMap<string, unknown> {
  return new Map(typeof value === "object" && value !== null ? Object.entries(value) : []);
}
