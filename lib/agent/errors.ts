/**
 * Converts failures of the CLI, the account and the disk to the errors that an editor
 * shows.
 *
 * Each text says what the user can do next. No text quotes a prompt, an environment
 * variable or a header.
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

/** Whether the CLI's answer to `initialize` says that it has no credentials. */
export function isSignedOut({ account }: InitializeAnswer): boolean {
  return account?.apiProvider === "firstParty" && account.tokenSource === "none" && account.apiKeySource === undefined;
}

/** How many of the last lines of the CLI's stderr are put into a message. */
const maxStderrLines = 3;

/** The error for a turn that ended with a failure of the API or the account. */
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

/** The error for a CLI that could not be started, exited, hangs or refused a request. Other causes are returned as they are. */
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
  const stderr = cause.stderr.slice(-maxStderrLines).join(" / ");
  const text = stderr === "" ? cause.message : `${cause.message}: ${stderr}`;
  return new RpcError(errorCodes.internalError, text, { errorKind: "cli" }, { cause });
}

/** The error for a failed file operation, with the system's code for the reason, such as ENOSPC. */
export function diskFailure(what: string, cause: unknown): RpcError {
  return new RpcError(errorCodes.internalError, `${what}: ${codeOf(cause)}`, { errorKind: "disk" }, { cause });
}

/** Whether the CLI exited because it does not know the conversation. It has no exit code for that, only a text. */
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
