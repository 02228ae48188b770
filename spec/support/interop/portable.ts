/**
 * Handlers that either library can run.
 *
 * They use only the signal of a call, and of their library only a function that makes
 * errors for the peer. Their params and results are typed by our method tables.
 */
import type { Answer, MethodEntry, MethodTable, ParamsOf, RequestName, ResultOf } from "../../../lib/rpc/index.ts";

/** What both libraries tell a handler about the request it serves. */
export interface Running {
  readonly signal: AbortSignal;
}

export type Serve<E extends MethodEntry> = (
  params: ParamsOf<E>,
  running: Running,
) => Answer<ResultOf<E>> | Promise<Answer<ResultOf<E>>>;

/** A request that is sent unchecked, with any name and params. */
export type Ask = (method: string, params: unknown, signal?: AbortSignal) => Promise<unknown>;
export type Tell = (method: string, params: unknown) => unknown;

/** Makes the error that the library sends to the peer as thrown. */
export type Fail = (code: number, message: string, data?: unknown) => Error;

/** A typed request to the side that serves the table's methods. */
export type CallOf<T extends MethodTable> = <M extends RequestName<T>>(
  method: M,
  params: ParamsOf<T[M]>,
  signal?: AbortSignal,
) => Promise<ResultOf<T[M]>>;

/** The value as JSON carries it: without keys that hold undefined. */
export function plain<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}

/** The error code of a failed request, for either library. */
export function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : error;
}

/** Waits for the signal and fails with its reason, as a cancelled handler does. */
export function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const onAbort = (): void => reject(signal.reason);
    if (signal.aborted) onAbort();
    else signal.addEventListener("abort", onAbort, { once: true });
  });
}
