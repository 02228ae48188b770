/**
 * Schemas that many ACP types share: `_meta`, paths, line numbers, request ids, and the
 * empty response.
 *
 * `_meta` is passed on without being read; a malformed `_meta` is dropped, not an error.
 */
import {
  either,
  int64,
  integer,
  lenient,
  nullable,
  nullTo,
  object,
  type ObjectOf,
  type ObjectSchema,
  type Optional,
  record,
  refine,
  type Schema,
  type Shape,
  type Static,
  string,
  unknown,
} from "../../schema/index.ts";

/** Custom data of either side; its keys carry their owner's namespace. */
export type Meta = Readonly<Record<string, unknown>>;
const meta: Optional<Meta | null> = lenient(nullable(record(unknown)));

type WithMeta<S extends Shape> = ObjectOf<S> & { readonly _meta?: Meta | null | undefined };

/** An object of the protocol: its own fields and `_meta`. */
export function withMeta<const S extends Shape>(shape: S): ObjectSchema<WithMeta<S>> {
  // `_meta` is added to the shape here and to the type above.
  return object({ ...shape, _meta: meta }) as unknown as ObjectSchema<WithMeta<S>>;
}

const absolute = /^(?:\/|[A-Za-z]:[\\/]|\\\\)/;

/** Whether a path is absolute on POSIX or on Windows; the peer may run on another system. */
export function isAbsolutePath(path: string): boolean {
  return absolute.test(path);
}

export const AbsolutePath: Schema<string> = refine(string, "an absolute path", isAbsolutePath);

/** ACP counts lines from 1. */
export const LineNumber: Schema<number> = integer(1, 2 ** 32 - 1);

const empty = withMeta({});
/** A result without fields. Peers send `{}` or `null`; both are read as `{}`. */
export interface EmptyResponse extends Static<typeof empty> {}
export const emptyResponse: Schema<EmptyResponse> = nullTo<EmptyResponse>(empty, () => ({}));

/** An object whose presence means that a capability is supported. */
export interface Marker extends Static<typeof empty> {}
export const marker: Schema<Marker> = empty;

export type RequestId = string | number | null;
export const RequestId: Schema<RequestId> = nullable(either("a string, an integer or null", string, int64));

const cancelRequestNotification = withMeta({ requestId: RequestId });
/** The params of `$/cancel_request`, which cancels one of the sender's own requests. */
export interface CancelRequestNotification extends Static<typeof cancelRequestNotification> {}
export const CancelRequestNotification: Schema<CancelRequestNotification> = cancelRequestNotification;
