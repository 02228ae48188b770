/**
 * Passes the failure of a call on to the caller's own caller.
 *
 * `Peer` hides the error of a nested call, because it usually means nothing to the other
 * side. Between a client and an agent it is the answer.
 */
import { CallFailed, ConnectionClosed, errorCodes, RpcError } from "../rpc/index.ts";

/** Rethrows an error response as it came, and a closed connection as an error that names who is gone. */
export async function forwarded<T>(call: Promise<T>, who: string): Promise<T> {
  try {
    return await call;
  } catch (cause) {
    if (cause instanceof CallFailed) throw new RpcError(cause.code, cause.message, cause.data);
    if (cause instanceof ConnectionClosed)
      throw new RpcError(errorCodes.internalError, `${who} is gone: ${cause.reason}`);
    throw cause;
  }
}
