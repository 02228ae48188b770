/**
 * Converts failures of the CLI, the account and the disk to `EngineFailure`s.
 *
 * Each text says what the user can do next. No text quotes a prompt, an environment
 * variable or a header.
 */
import { EngineFailure } from "../../engine/index.ts";
import { NotPrivate } from "../../process/index.ts";
import { codeOf } from "../../wire/index.ts";
import { ClaudeExit, ClaudeNotFound, ControlRefused, ControlTimeout, type InitializeAnswer } from "../index.ts";
import { howToSignIn } from "../setup/index.ts";
import type { FailureKind } from "../translate/index.ts";

export function notSignedIn(detail?: string): EngineFailure {
  const why = detail === undefined ? "Claude is not signed in" : `Claude is not signed in (${detail})`;
  return new EngineFailure("not_signed_in", `${why}: ${howToSignIn}`);
}

/** Whether the CLI's answer to `initialize` says that it has no credentials. */
export function isSignedOut({ account }: InitializeAnswer): boolean {
  return account?.apiProvider === "firstParty" && account.tokenSource === "none" && account.apiKeySource === undefined;
}

/** The failure of a turn that ended with an error of the API or the account. */
export function turnFailure(kind: FailureKind, text: string, resetsAt: number | undefined): EngineFailure {
  return kind === "not_signed_in" ? notSignedIn(text) : new EngineFailure(kind, text, { resetsAt });
}

/** How many of the last lines of the CLI's stderr are put into a message. */
const maxStderrLines = 3;

/** The failure of a CLI that could not be started, exited, hangs or refused a request. Other causes are returned as they are. */
export function cliFailure(cause: unknown): unknown {
  if (cause instanceof ClaudeNotFound) return new EngineFailure("not_found", cause.message, { cause });
  if (cause instanceof ControlTimeout) {
    const text = "the Claude CLI does not answer; try again, or run `claude` in a terminal to see why";
    return new EngineFailure("hung", text, { cause });
  }
  if (cause instanceof ControlRefused) {
    const text = `the Claude CLI refused ${cause.subtype}: ${cause.message}`;
    return new EngineFailure("refused", text, { cause });
  }
  if (!(cause instanceof ClaudeExit)) return cause;
  const stderr = cause.stderr.slice(-maxStderrLines).join(" / ");
  const text = stderr === "" ? cause.message : `${cause.message}: ${stderr}`;
  return new EngineFailure(isUnknownConversation(cause) ? "unknown_conversation" : "exited", text, { cause });
}

/** The failure of a file operation, with the system's code for the reason, such as ENOSPC. */
export function diskFailure(what: string, cause: unknown): EngineFailure {
  const why = cause instanceof NotPrivate ? cause.message : codeOf(cause);
  return new EngineFailure("disk", `${what}: ${why}`, { cause });
}

/** Whether the CLI exited because it does not know the conversation. It has no exit code for that, only a text. */
export function isUnknownConversation(cause: unknown): boolean {
  return cause instanceof ClaudeExit && cause.stderr.some((line) => line.startsWith("No conversation found"));
}
