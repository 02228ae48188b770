/**
 * Values of Codex that this version cannot read, kept whole under their names.
 *
 * Codex changes every few days. A new notification or item, or a known one in a new shape,
 * must never break a turn.
 */
import { Fault, isRecord, type Schema, schema } from "../schema/index.ts";

interface Unread {
  /** What the value calls itself, such as `item/newThing`; "" when it states nothing. */
  readonly named: string;
  /** What the schema expected and where. Never quotes the value. */
  readonly fault: string;
  readonly value: unknown;
}

/** An item, an input block or another part whose kind is in `type`. */
export interface UnknownPart extends Unread {
  readonly type: "unknown";
}

/** A notification or a request, whose kind is in `method`. */
export interface UnknownMessage extends Unread {
  readonly method: "unknown";
}

/** A schema that turns every value `inner` refuses into an `UnknownPart`. */
export function orUnknownPart<T>(inner: Schema<T>): Schema<T | UnknownPart> {
  return orInstead<T, UnknownPart>(inner, (value, fault) => ({
    type: "unknown",
    named: nameUnder(value, "type"),
    fault,
    value,
  }));
}

/** A schema that turns every value `inner` refuses into an `UnknownMessage`. */
export function orUnknownMessage<T>(inner: Schema<T>): Schema<T | UnknownMessage> {
  return orInstead<T, UnknownMessage>(inner, (value, fault) => ({
    method: "unknown",
    named: nameUnder(value, "method"),
    fault,
    value,
  }));
}

function orInstead<T, U>(inner: Schema<T>, instead: (value: unknown, fault: string) => U): Schema<T | U> {
  return schema<T | U>(
    (value) => {
      const got = inner.read(value);
      return got instanceof Fault ? instead(value, got.describe()) : got;
    },
    () => ({ kind: "either", options: [inner.node, { kind: "unknown" }] }),
  );
}

const maxNameChars = 80;

/** The string under `key`, truncated to a length fit for a log, or "". */
function nameUnder(value: unknown, key: string): string {
  if (!isRecord(value) || !Object.hasOwn(value, key)) return "";
  const name = value[key];
  return typeof name === "string" ? name.slice(0, maxNameChars) : "";
}
