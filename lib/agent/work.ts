/**
 * Work: the sessions of one client, and every method in their words.
 */
import type { AgentConnection, AgentHandlers, Extensions } from "../acp/index.ts";
import type { After, Environment } from "../claude/index.ts";
import type { View } from "../translate/index.ts";
import { agentHandlers, steering } from "./handlers.ts";
import type { Launcher } from "./launcher.ts";
import type { Saved } from "./saved.ts";
import { Sessions } from "./sessions.ts";
import type { Settings } from "./settings.ts";

/** How long a session keeps its CLI without a prompt. */
const defaultRestMs = 30 * 60_000;

export interface WorkOptions {
  readonly launcher: Launcher;
  readonly after: After;
  readonly env: Environment;
  /** The conversations on disk. */
  readonly saved: Saved;
  /** What sessions begin with; what is left out is the user's own choice. */
  readonly settings?: Partial<Settings> | undefined;
  /** Also speaks the dialect of 2025: `models` and `current_model_update`. */
  readonly isLegacy?: boolean | undefined;
  /** Keeps a session ready for the next one who asks; on unless said otherwise. */
  readonly keepsWarm?: boolean | undefined;
  /** How long a session keeps its CLI without a prompt; 0 is for ever. */
  readonly restMs?: number | undefined;
  /** A file's text as it is now, where that can be known. */
  readonly textOf?: View["textOf"] | undefined;
  /** False where the CLI would refuse bypassPermissions. */
  readonly mayBypass?: boolean | undefined;
  readonly onBug?: ((doing: string, cause: unknown) => void) | undefined;
}

/** What is done for a client, method by method. */
export interface Work {
  readonly handlers: Required<AgentHandlers>;
  readonly steer: Extensions[`_${string}`];
  readonly stop: (reason: string) => Promise<void>;
}

export function workFor(client: AgentConnection, options: WorkOptions): Work {
  const sessions = new Sessions(client, {
    launcher: options.launcher,
    after: options.after,
    saved: options.saved,
    settings: options.settings ?? {},
    env: options.env,
    keepsWarm: options.keepsWarm ?? true,
    restMs: options.restMs ?? defaultRestMs,
    mayBypass: options.mayBypass ?? false,
    isLegacy: options.isLegacy ?? false,
    textOf: options.textOf ?? (() => undefined),
    onBug: options.onBug ?? (() => {}),
  });
  let stopped: Promise<void> | undefined;
  return {
    handlers: agentHandlers(client, sessions, options),
    steer: steering(sessions),
    // Whoever asks again waits for the same end.
    stop: (reason) => (stopped ??= sessions.closeAll(reason)),
  };
}
