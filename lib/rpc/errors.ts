/**
 * Errors: what a call can fail with.
 *
 * `RpcError` crosses the wire as thrown. `CallFailed` and `ConnectionClosed` are
 * told to our own callers once and go no further: one side's errors are not the
 * other's answers. Anything else is a bug and the peer learns nothing of it.
 */

/** Every code this runtime sends by itself, by name. */
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

/** An error as it stands in a response. */
export interface RpcErrorObject {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

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
 * A call of ours was answered with an error, refused before it left, or given up.
 * A handler that lets it pass has a bug; it does not become that handler's answer.
 */
export class CallFailed extends RpcError {
  /** Reads the error of a response, however badly the peer wrote it. */
  static from(error: unknown): CallFailed {
    if (typeof error !== "object" || error === null) return new CallFailed(errorCodes.internalError, noReason);
    const code = "code" in error && Number.isInteger(error.code) ? Number(error.code) : errorCodes.internalError;
    const message = "message" in error && typeof error.message === "string" ? error.message : noReason;
    return new CallFailed(code, message, "data" in error ? error.data : undefined);
  }
}

const noReason = "the peer failed without saying why";

/** The connection ended while a call waited, or had ended before it was made. */
export class ConnectionClosed extends Error {
  override readonly name = "ConnectionClosed";
  readonly reason: string;

  constructor(reason: string) {
    super(`connection closed: ${reason}`);
    this.reason = reason;
  }
}
