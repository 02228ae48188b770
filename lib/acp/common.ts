/**
 * Meta: the `_meta` every ACP object may carry, and paths and lines as ACP
 * counts them.
 *
 * `_meta` is kept and never looked into; a wrong one is dropped, not an error.
 */
import {
  integer,
  lenient,
  nullable,
  object,
  type ObjectOf,
  type ObjectSchema,
  type Optional,
  record,
  refine,
  type Schema,
  type Shape,
  string,
  unknown,
} from "../schema/index.ts";

/** Room for extensions; keys are namespaced by whoever writes them. */
export type Meta = Readonly<Record<string, unknown>>;
const meta: Optional<Meta | null> = lenient(nullable(record(unknown)));

type WithMeta<S extends Shape> = ObjectOf<S> & { readonly _meta?: Meta | null | undefined };

/** An object of the protocol: its own fields and `_meta`. */
export function withMeta<const S extends Shape>(shape: S): ObjectSchema<WithMeta<S>> {
  // `_meta` is added to the shape here and to the type above.
  return object({ ...shape, _meta: meta }) as unknown as ObjectSchema<WithMeta<S>>;
}

const absolute = /^(?:\/|[A-Za-z]:[\\/]|\\\\)/;

/** Absolute in the way of POSIX or of Windows, whichever system reads it. */
export function isAbsolutePath(path: string): boolean {
  return absolute.test(path);
}

export const AbsolutePath: Schema<string> = refine(string, "an absolute path", isAbsolutePath);

/** ACP counts lines from 1. */
export const LineNumber: Schema<number> = integer(1, 2 ** 32 - 1);
