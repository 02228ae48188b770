/**
 * Unknown: what the CLI said in words this version has not heard of.
 *
 * The CLI changes every few days, so a new word, or an old one in a new shape, is
 * kept whole under its name and never breaks a turn.
 */
import { Fault, isRecord, type Schema } from "../schema/index.ts";

export interface Unknown {
  readonly type: "unknown";
  /** What it calls itself: `system/some_subtype`, or "" when it has no name. */
  readonly named: string;
  /** What would have made it readable. Never quotes the value. */
  readonly fault: string;
  readonly value: unknown;
}

/** Reads by `schema`; what it refuses becomes an `Unknown` named by `nameOf`. */
export function orUnknown<T>(schema: Schema<T>, nameOf: (value: unknown) => string): Schema<T | Unknown> {
  return {
    // Made when asked for: at once it takes every event's shape apart, 1.3 ms of each start.
    get node() {
      return { kind: "either", options: [schema.node, unknownNode] } as const;
    },
    read: (value) => {
      const got = schema.read(value);
      if (!(got instanceof Fault)) return got;
      return { type: "unknown", named: nameOf(value), fault: got.describe(), value };
    },
  };
}

/** The string under `key`, cut to a length fit for a log, or "". */
export function nameUnder(value: unknown, key: string): string {
  if (!isRecord(value) || !Object.hasOwn(value, key)) return "";
  const name = value[key];
  return typeof name === "string" ? name.slice(0, maxNameChars) : "";
}

const maxNameChars = 80;
const unknownNode: Schema<unknown>["node"] = { kind: "unknown" };
