/**
 * Converts the failures of an engine to the errors that an editor shows.
 */
import { dateWords } from "../display/index.ts";
import { EngineFailure } from "../engine/index.ts";
import { errorCodes, RpcError } from "../rpc/index.ts";

/** The error for the client. Causes that are no failure of an engine are returned as they are. */
export function rpcErrorOf(cause: unknown): unknown {
  if (!(cause instanceof EngineFailure)) return cause;
  const { kind, message, resetsAt } = cause;
  const options = { cause };
  switch (kind) {
    case "not_signed_in":
      return new RpcError(errorCodes.authRequired, message, undefined, options);
    case "invalid":
      return new RpcError(errorCodes.invalidParams, message, undefined, options);
    case "not_found":
    case "hung":
      return new RpcError(errorCodes.internalError, message, undefined, options);
    case "exited":
    case "refused":
    case "unknown_conversation":
      return new RpcError(errorCodes.internalError, message, { errorKind: "cli" }, options);
    case "disk":
      return new RpcError(errorCodes.internalError, message, { errorKind: "disk" }, options);
    case "limit": {
      const isSaid = resetsAt === undefined || saysWhen.test(message);
      const reset = isSaid ? "" : ` It resets on ${dateWords(resetsAt * 1000)}.`;
      return new RpcError(
        errorCodes.internalError,
        `${sentence(message)}${reset}`,
        { errorKind: "limit", resetsAt },
        options,
      );
    }
    case "api":
    case "other":
      return new RpcError(errorCodes.internalError, sentence(message), { errorKind: kind }, options);
  }
}

/** Whether the engine does not know the conversation. */
export function isUnknownConversation(cause: unknown): boolean {
  const failure = cause instanceof RpcError ? cause.cause : cause;
  return failure instanceof EngineFailure && failure.kind === "unknown_conversation";
}

export function unknownSession(sessionId: string): RpcError {
  return new RpcError(errorCodes.resourceNotFound, "Session not found", { sessionId });
}

/** The engine's own sentence says when the limit ends. */
const saysWhen = /\bresets\b|\btry again (?:at|in)\b/i;

function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
