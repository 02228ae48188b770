/**
 * `CodexLink`: a link to the process `codex app-server`.
 *
 * A tape or a link in memory can take the place of the process; such a link lacks the optional
 * members.
 */
import type { ProcessExit } from "../../process/index.ts";
import type { Link } from "../../wire/index.ts";

export interface CodexLink extends Link {
  /** How the process ended, if the link knows. Called once, when the link has closed. */
  readonly exit?: (() => ProcessExit | undefined) | undefined;
  /** Lists the processes that Codex has started, so that they can be killed even when Codex is killed first. */
  readonly scanChildren?: (() => void) | undefined;
  /** Ends the process and everything it has started, at once. */
  readonly kill?: (() => Promise<void>) | undefined;
}

/** Throws an `EngineFailure` when Codex cannot be started. */
export type CodexLauncher = () => CodexLink;
