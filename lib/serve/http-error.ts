/**
 * Refusal: why a request is not served, as its answer says it.
 *
 * The body is an error packet, so that whoever reads packets reads refusals too.
 * What is our own bug is told without detail.
 */
import { ConnectionClosed, errorCodes, RpcError } from "../rpc/index.ts";

/** Each kind of refusal, and its status. */
const statuses = {
  bad_request: 400,
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
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
  override readonly name = "Refusal";
  readonly code: HttpErrorCode;
  /** What the answer's head carries besides. */
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: HttpErrorCode, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message);
    this.code = code;
    this.headers = headers;
  }

  get status(): number {
    return statuses[this.code];
  }

  /** Whatever was thrown, as a refusal; undefined for a bug. */
  static of(cause: unknown): HttpError | undefined {
    if (cause instanceof HttpError) return cause;
    if (cause instanceof ConnectionClosed) return new HttpError("unavailable", "the agent is gone: start it again");
    if (!(cause instanceof RpcError)) return undefined;
    return new HttpError(codes.get(cause.code) ?? "agent_failed", cause.message);
  }
}

/** The agent's own errors, as far as they have a status. */
const codes: ReadonlyMap<number, HttpErrorCode> = new Map([
  [errorCodes.authRequired, "not_signed_in"],
  [errorCodes.invalidParams, "bad_request"],
  [errorCodes.methodNotFound, "bad_request"],
  [errorCodes.resourceNotFound, "not_found"],
]);
