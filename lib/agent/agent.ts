/**
 * Serves the Claude CLI as an ACP agent on one link.
 *
 * Builds the session registry and the method handlers for one client. When the
 * connection closes, every session is closed and every CLI it started is stopped.
 * Takes its clock, environment, launcher and store from the options.
 */
import { agent, type AgentConnection, type AgentHandlers, type Extensions } from "../acp/index.ts";
import type { Link, Schedule } from "../wire/index.ts";
import type { Environment } from "../claude/index.ts";
import type { ClientView } from "../display/index.ts";
import { claudeProfile } from "./agent-profile.ts";
import type { Program } from "./auth/methods.ts";
import type { Launcher } from "./cli/launcher.ts";
import { agentHandlers, steerHandler } from "./handlers.ts";
import { SessionRegistry, type SessionRegistryOptions } from "./sessions/session-registry.ts";
import type { SessionStore } from "./sessions/session-store.ts";
import type { Settings } from "./settings/settings.ts";

const defaultIdleTimeoutMs = 30 * 60_000;

export interface ClaudeAgent {
  readonly connection: AgentConnection;
  /** Closes every session and stops what the sessions started. */
  readonly stop: (reason: string) => Promise<void>;
}

export interface ClaudeAgentOptions {
  /** How this program is started; a client starts it again in a terminal to sign in. */
  readonly program: Program;
  readonly launcher: Launcher;
  readonly after: Schedule;
  readonly env: Environment;
  /** The conversations on disk. */
  readonly store: SessionStore;
  /** The settings of a new session. A setting left out is the user's own choice. */
  readonly settings?: Partial<Settings> | undefined;
  /** Also sends the fields of 2025: `models` and `current_model_update`. */
  readonly isLegacy?: boolean | undefined;
  /** Keeps a session started for the next `session/new`. Default: true. */
  readonly prewarms?: boolean | undefined;
  /** How long a session keeps its CLI without a prompt; 0 means forever. Default: 30 minutes. */
  readonly idleTimeoutMs?: number | undefined;
  /** The current text of a file; undefined when it is not known. */
  readonly textOf?: ClientView["textOf"] | undefined;
  /** False when the CLI would refuse bypassPermissions. */
  readonly mayBypass?: boolean | undefined;
  readonly onBug?: ((doing: string, cause: unknown) => void) | undefined;
}

export function claudeAgent(link: Link, options: ClaudeAgentOptions): ClaudeAgent {
  let core: AgentCore | undefined;
  const coreFor = (client: AgentConnection): AgentCore => (core ??= createCore(client, options));
  const connection = agent(
    link,
    {
      ...claudeProfile(options.program),
      handlers: (client) => coreFor(client).handlers,
      extensions: (client) => ({ "_session/steer": coreFor(client).steer }),
    },
    { onBug: options.onBug },
  );
  const stop = (reason: string): Promise<void> => coreFor(connection).stop(reason);
  void connection.closed.then(stop);
  return { connection, stop };
}

interface AgentCore {
  readonly handlers: Required<AgentHandlers>;
  readonly steer: Extensions[`_${string}`];
  readonly stop: (reason: string) => Promise<void>;
}

function createCore(client: AgentConnection, options: ClaudeAgentOptions): AgentCore {
  const resolved: SessionRegistryOptions = {
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
  };
  const sessions = new SessionRegistry(client, resolved);
  let stopped: Promise<void> | undefined;
  return {
    handlers: agentHandlers(client, sessions, resolved),
    steer: steerHandler(sessions),
    // A second call waits for the first stop.
    stop: (reason) => (stopped ??= sessions.closeAll(reason)),
  };
}
