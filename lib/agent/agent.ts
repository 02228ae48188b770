/**
 * Serves an engine as an ACP agent on one link.
 *
 * Builds the session registry and the method handlers for one client. When the
 * connection closes, every session is closed and every process it started is stopped.
 */
import { agent, type AgentConnection, type AgentHandlers, type AgentProfile, type Extensions } from "../acp/index.ts";
import type { Link } from "../wire/index.ts";
import type { AgentContext, ResolvedOptions } from "./agent-context.ts";
import { agentHandlers } from "./handlers.ts";
import { rewindMethod } from "./rewind/rewind-method.ts";
import { SessionRegistry } from "./sessions/session-registry.ts";
import { steeringExtensions } from "./steering.ts";
import { taskMethods } from "./tasks/tasks-methods.ts";
import { usageMethod } from "./usage/usage-method.ts";

export interface Agent {
  readonly connection: AgentConnection;
  /** Closes every session and stops what the sessions started. */
  readonly stop: (reason: string) => Promise<void>;
}

export function serveEngine(link: Link, profile: AgentProfile, options: ResolvedOptions): Agent {
  let core: AgentCore | undefined;
  const coreFor = (client: AgentConnection): AgentCore => (core ??= createCore({ ...options, client }));
  const connection = agent(
    link,
    {
      ...profile,
      handlers: (client) => coreFor(client).handlers,
      extensions: (client) => coreFor(client).extensions,
    },
    { onBug: options.onBug },
  );
  const stop = (reason: string): Promise<void> => coreFor(connection).stop(reason);
  void connection.closed.then(stop);
  return { connection, stop };
}

interface AgentCore {
  readonly handlers: Required<AgentHandlers>;
  readonly extensions: Extensions;
  readonly stop: (reason: string) => Promise<void>;
}

function createCore(context: AgentContext): AgentCore {
  const sessions = new SessionRegistry(context);
  let stopped: Promise<void> | undefined;
  return {
    handlers: agentHandlers(context, sessions),
    extensions: {
      ...steeringExtensions(context, sessions),
      "_session/rewind": rewindMethod(sessions),
      "_session/usage": usageMethod(sessions),
      ...taskMethods(sessions),
    },
    // A second call waits for the first stop.
    stop: (reason) => (stopped ??= sessions.closeAll(reason)),
  };
}
