/**
 * Forwards an error response: of the agent to the client, or of the client to the agent.
 *
 * The hub answers a request by calling the other side. When that call fails, `Peer` would
 * answer with an internal error and hide why. Here the error is the answer, so it is passed on.
 */
import { CallFailed, ConnectionClosed, errorCodes, RpcError } from "../../rpc/index.ts";

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
