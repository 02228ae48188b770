/**
 * Failures: whatever went wrong, as the error an editor shows.
 *
 * Each text says what to do next. Never quotes a prompt, a variable or a header.
 */
import { ClaudeExit, ClaudeNotFound, ControlRefused, ControlTimeout, type InitializeAnswer } from "../claude/index.ts";
import { errorCodes, RpcError } from "../rpc/index.ts";
import type { FailureKind } from "../claude/translate/index.ts";
import { codeOf } from "../wire/index.ts";
import { howToSignIn } from "./auth/methods.ts";

export function notSignedIn(detail?: string): RpcError {
  const why = detail === undefined ? "Claude is not signed in" : `Claude is not signed in (${detail})`;
  return new RpcError(errorCodes.authRequired, `${why}: ${howToSignIn}`);
}

/** The CLI has no account to work with; its greeting says so. */
export function isSignedOut({ account }: InitializeAnswer): boolean {
  return account?.apiProvider === "firstParty" && account.tokenSource === "none" && account.apiKeySource === undefined;
}

/** The CLI's last words, as far as they fit into a message. */
const maxStderrLines = 3;

/** A turn that ended in a failure of the API or the account. */
export function turnFailure(kind: FailureKind, text: string, resetsAt: number | undefined): RpcError {
  switch (kind) {
    case "sign-in":
      return notSignedIn(text);
    case "limit": {
      const reset = resetsAt === undefined ? "" : ` It resets at ${new Date(resetsAt * 1000).toLocaleString()}.`;
      return new RpcError(errorCodes.internalError, `${sentence(text)}${reset}`, { errorKind: "limit", resetsAt });
    }
    case "api":
    case "other":
      return new RpcError(errorCodes.internalError, sentence(text), { errorKind: kind });
  }
}

/** The CLI could not be started, or was lost. */
export function cliFailure(cause: unknown): unknown {
  if (cause instanceof ClaudeNotFound)
    return new RpcError(errorCodes.internalError, cause.message, undefined, { cause });
  if (cause instanceof ControlTimeout) {
    return new RpcError(
      errorCodes.internalError,
      "the Claude CLI does not answer; try again, or run `claude` in a terminal to see why",
      undefined,
      { cause },
    );
  }
  if (cause instanceof ControlRefused) {
    const text = `the Claude CLI refused ${cause.subtype}: ${cause.message}`;
    return new RpcError(errorCodes.internalError, text, { errorKind: "cli" }, { cause });
  }
  if (!(cause instanceof ClaudeExit)) return cause;
  const said = cause.stderr.slice(-maxStderrLines).join(" / ");
  const text = said === "" ? cause.message : `${cause.message}: ${said}`;
  return new RpcError(errorCodes.internalError, text, { errorKind: "cli" }, { cause });
}

/** What the disk did not do, by the system's own name for it: full, read-only, not ours. */
export function diskFailure(what: string, cause: unknown): RpcError {
  return new RpcError(errorCodes.internalError, `${what}: ${codeOf(cause)}`, { errorKind: "disk" }, { cause });
}

/** The CLI has no code for it, only words. */
export function isUnknownConversation(cause: unknown): boolean {
  const exit = cause instanceof RpcError ? cause.cause : cause;
  return exit instanceof ClaudeExit && exit.stderr.some((line) => line.startsWith("No conversation found"));
}

export function unknownSession(sessionId: string): RpcError {
  return new RpcError(errorCodes.resourceNotFound, "Session not found", { sessionId });
}

function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
