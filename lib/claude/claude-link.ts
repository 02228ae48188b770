/**
 * Claude link: the seam between the engine and whatever speaks as the CLI.
 *
 * Any `Link` of the wire room will do: a child process, a tape, a memory pair. One
 * that knows how its CLI ended says so in `exit`.
 */
import type { Link } from "../wire/index.ts";
import type { ClaudeExit } from "./errors.ts";

export interface ClaudeLink extends Link {
  /** How it ended; asked once, when the link has closed. */
  readonly exit?: (() => ClaudeExit | undefined) | undefined;
  /** Looks what runs below the CLI now, so that it can be ended should the CLI be killed. */
  readonly scanChildren?: (() => void) | undefined;
}
