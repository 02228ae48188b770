/**
 * Errors with which a call can fail.
 *
 * A handler's `RpcError` is sent to the peer as thrown. `CallFailed` and
 * `ConnectionClosed` reject our own calls; a handler that lets one escape does not send
 * it to its peer. Any other error is a bug, and the peer gets no detail of it.
 */

/** The error codes of JSON-RPC and ACP that Bowline uses. `authRequired` is sent by lib/agent/errors.ts. */
export const errorCodes = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
  requestCancelled: -32800,
  authRequired: -32000,
  unsupportedVersion: -32001,
  resourceNotFound: -32002,
} as const;

/** The `error` member of a response. */
export interface RpcErrorObject {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** An error that the peer receives unchanged: code, message and data. */
export class RpcError extends Error {
  override readonly name = "RpcError";
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data?: unknown, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    this.data = data;
  }

  toObject(): RpcErrorObject {
    const { code, message, data } = this;
    return data === undefined ? { code, message } : { code, message, data };
  }
}

/**
 * A call of ours was answered with an error, refused before it was sent, or aborted.
 * When a handler lets it escape, the peer gets an internal error instead.
 */
export class CallFailed extends RpcError {
  /** Reads the error of a response; missing or wrong members get defaults. */
  static from(error: unknown): CallFailed {
    if (typeof error !== "object" || error === null) return new CallFailed(errorCodes.internalError, noReason);
    const code = "code" in error && Number.isInteger(error.code) ? Number(error.code) : errorCodes.internalError;
    const message = "message" in error && typeof error.message === "string" ? error.message : noReason;
    return new CallFailed(code, message, "data" in error ? error.data : undefined);
  }
}

const noReason = "the peer failed without saying why";

/** The connection closed while a call waited, or before the call was made. */
export class ConnectionClosed extends Error {
  override readonly name = "ConnectionClosed";
  readonly reason: string;

  constructor(reason: string) {
    super(`connection closed: ${reason}`);
    this.reason = reason;
  }
}
