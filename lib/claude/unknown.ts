/**
 * Unknown: what the CLI said in words this version has not heard of.
 *
 * The CLI changes every few days, so a new word, or an old one in a new shape, is
 * kept whole under its name and never breaks a turn.
 */
import { Fault, isRecord, type Schema, schema } from "../schema/index.ts";

export interface Unknown {
  readonly type: "unknown";
  /** What it calls itself: `system/some_subtype`, or "" when it has no name. */
  readonly named: string;
  /** What would have made it readable. Never quotes the value. */
  readonly fault: string;
  readonly value: unknown;
}

/** Reads by `inner`; what it refuses becomes an `Unknown` named by `nameOf`. */
export function orUnknown<T>(inner: Schema<T>, nameOf: (value: unknown) => string): Schema<T | Unknown> {
  return schema<T | Unknown>(
    (value) => {
      const got = inner.read(value);
      if (!(got instanceof Fault)) return got;
      return { type: "unknown", named: nameOf(value), fault: got.describe(), value };
    },
    () => ({ kind: "either", options: [inner.node, unknownNode] }),
  );
}

/** The string under `key`, cut to a length fit for a log, or "". */
export function nameUnder(value: unknown, key: string): string {
  if (!isRecord(value) || !Object.hasOwn(value, key)) return "";
  const name = value[key];
  return typeof name === "string" ? name.slice(0, maxNameChars) : "";
}

const maxNameChars = 80;
const unknownNode: Schema<unknown>["node"] = { kind: "unknown" };
