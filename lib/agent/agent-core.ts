/**
 * Work: the sessions of one client, and every method in their words.
 */
import type { AgentConnection, AgentHandlers, Extensions } from "../acp/index.ts";
import type { Schedule } from "../wire/index.ts";
import type { Environment } from "../claude/index.ts";
import type { ClientView } from "../claude/translate/index.ts";
import { agentHandlers, steering } from "./handlers.ts";
import type { Launcher } from "./cli/launcher.ts";
import type { SessionStore } from "./sessions/session-store.ts";
import { SessionRegistry } from "./sessions/session-registry.ts";
import type { Settings } from "./settings/settings.ts";

/** How long a session keeps its CLI without a prompt. */
const defaultIdleTimeoutMs = 30 * 60_000;

export interface AgentOptions {
  readonly launcher: Launcher;
  readonly after: Schedule;
  readonly env: Environment;
  /** The conversations on disk. */
  readonly store: SessionStore;
  /** What sessions begin with; what is left out is the user's own choice. */
  readonly settings?: Partial<Settings> | undefined;
  /** Also speaks the dialect of 2025: `models` and `current_model_update`. */
  readonly isLegacy?: boolean | undefined;
  /** Keeps a session ready for the next one who asks; on unless said otherwise. */
  readonly prewarms?: boolean | undefined;
  /** How long a session keeps its CLI without a prompt; 0 is for ever. */
  readonly idleTimeoutMs?: number | undefined;
  /** A file's text as it is now, where that can be known. */
  readonly textOf?: ClientView["textOf"] | undefined;
  /** False where the CLI would refuse bypassPermissions. */
  readonly mayBypass?: boolean | undefined;
  readonly onBug?: ((doing: string, cause: unknown) => void) | undefined;
}

/** What is done for a client, method by method. */
export interface AgentCore {
  readonly handlers: Required<AgentHandlers>;
  readonly steer: Extensions[`_${string}`];
  readonly stop: (reason: string) => Promise<void>;
}

export function createAgentCore(client: AgentConnection, options: AgentOptions): AgentCore {
  const sessions = new SessionRegistry(client, {
    launcher: options.launcher,
    after: options.after,
    store: options.store,
    settings: options.settings ?? {},
    env: options.env,
    prewarms: options.prewarms ?? true,
    idleTimeoutMs: options.idleTimeoutMs ?? defaultIdleTimeoutMs,
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
