/**
 * Errors that become HTTP responses: the codes, their status, and the conversion from
 * errors of the agent.
 *
 * The response body is an `error` packet, so clients handle it like any other packet.
 * An unexpected exception is a bug and is reported to the client without detail.
 */
import { ConnectionClosed, errorCodes, RpcError } from "../rpc/index.ts";

/** The HTTP status of each error code. */
const statuses = {
  bad_request: 400,
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  not_acceptable: 406,
  conflict: 409,
  gone: 410,
  too_large: 413,
  wrong_type: 415,
  too_many: 429,
  bug: 500,
  agent_failed: 502,
  not_signed_in: 503,
  unavailable: 503,
} as const;

export type HttpErrorCode = keyof typeof statuses;

export class HttpError extends Error {
  override readonly name = "HttpError";
  readonly code: HttpErrorCode;
  /** Additional headers of the response. */
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: HttpErrorCode, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message);
    this.code = code;
    this.headers = headers;
  }

  get status(): number {
    return statuses[this.code];
  }

  /** Converts a thrown value; undefined when it is a bug. */
  static of(cause: unknown): HttpError | undefined {
    if (cause instanceof HttpError) return cause;
    if (cause instanceof ConnectionClosed) return new HttpError("unavailable", "the agent is gone: start it again");
    if (!(cause instanceof RpcError)) return undefined;
    return new HttpError(codes.get(cause.code) ?? "agent_failed", cause.message);
  }
}

/** HTTP error codes for JSON-RPC error codes of the agent. */
const codes: ReadonlyMap<number, HttpErrorCode> = new Map([
  [errorCodes.authRequired, "not_signed_in"],
  [errorCodes.invalidParams, "bad_request"],
  [errorCodes.methodNotFound, "bad_request"],
  [errorCodes.resourceNotFound, "not_found"],
]);
