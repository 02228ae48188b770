/**
 * Finds where a value violates a schema of the protocol.
 *
 * Stricter than reading: a lenient field with a wrong value, which a reader repairs,
 * counts as a violation of the sender.
 */
import { Fault, isRecord, type Schema } from "../../schema/index.ts";

/** The violation; undefined when the value is valid. */
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

/** The path of the first field that the reader repaired. */
function differing(left: unknown, right: unknown): string {
  const [before, after] = [partsOf(left), partsOf(right)];
  for (const key of new Set([...before.keys(), ...after.keys()])) {
    const [old, repaired] = [before.get(key), after.get(key)];
    if (Object.is(old, repaired)) continue;
    return [key, differing(old, repaired)].filter((step) => step !== "").join(".");
  }
  return "";
}

function partsOf(value: unknown): ReadonlyMap<string, unknown> {
  return new Map(typeof value === "object" && value !== null ? Object.entries(value) : []);
}
