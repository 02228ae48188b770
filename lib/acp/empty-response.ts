/**
 * Empty: the answer that only says it was done.
 *
 * Peers send `{}` or `null`; both are read as `{}`.
 */
import { nullTo, type Schema, type Static } from "../schema/index.ts";
import { withMeta } from "./common.ts";

const empty = withMeta({});
export interface EmptyResponse extends Static<typeof empty> {}
export const emptyResponse: Schema<EmptyResponse> = nullTo<EmptyResponse>(empty, () => ({}));

/** The presence of such an object says that something is supported. */
export interface Marker extends Static<typeof empty> {}
export const marker: Schema<Marker> = empty;
