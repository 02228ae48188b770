/**
 * `EngineFailure`: the errors of an engine, by what the user can do about them.
 *
 * The message is a sentence for the user and names the engine. It quotes no prompt, no
 * environment value and no header.
 */

export type EngineFailureKind =
  /** The program is not installed, too old, or another program. */
  | "not_found"
  | "not_signed_in"
  /** The program exited. */
  | "exited"
  | "hung"
  /** The program refused a request. */
  | "refused"
  /** The caller gave something that the engine cannot use. */
  | "invalid"
  | "disk"
  | "unknown_conversation"
  /** A limit of the account. */
  | "limit"
  | "api"
  | "other";

export interface EngineFailureDetails {
  /** When the limit ends, in seconds since the epoch. */
  readonly resetsAt?: number | undefined;
  readonly cause?: unknown;
}

/** An error of an engine, with its kind and, for a limit, the time of the reset. */
export class EngineFailure extends Error {
  readonly kind: EngineFailureKind;
  readonly resetsAt: number | undefined;

  constructor(kind: EngineFailureKind, message: string, details: EngineFailureDetails = {}) {
    super(message, { cause: details.cause });
    this.name = "EngineFailure";
    this.kind = kind;
    this.resetsAt = details.resetsAt;
  }
}
