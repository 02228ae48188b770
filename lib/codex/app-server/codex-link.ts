/**
 * `CodexLink`: a link to whatever plays `codex app-server`: a child process, a recorded
 * tape or a link in memory.
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
