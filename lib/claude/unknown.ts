/**
 * `Unknown`: a value of the CLI that this version cannot read, kept whole under its name.
 *
 * The CLI changes every few days. A new event type, or a known one in a new shape, must
 * never break a turn.
 */
import { Fault, isRecord, type Schema, schema } from "../schema/index.ts";

export interface Unknown {
  readonly type: "unknown";
  /** The type the value states, such as `system/some_subtype`; "" when it states none. */
  readonly named: string;
  /** What the schema expected and where. Never quotes the value. */
  readonly fault: string;
  readonly value: unknown;
}

/** A schema that turns every value `inner` refuses into an `Unknown` named by `nameOf`. */
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

/** The string under `key`, truncated to a length fit for a log, or "". */
export function nameUnder(value: unknown, key: string): string {
  if (!isRecord(value) || !Object.hasOwn(value, key)) return "";
  const name = value[key];
  return typeof name === "string" ? name.slice(0, maxNameChars) : "";
}

const maxNameChars = 80;
const unknownNode: Schema<unknown>["node"] = { kind: "unknown" };
