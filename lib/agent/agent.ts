/**
 * Agent: Claude Code as an ACP agent, on one link.
 *
 * When the client goes, so does everything that was started for it.
 */
import { agent, type AgentConnection } from "../acp/index.ts";
import type { Link } from "../wire/index.ts";
import { claudeProfile } from "./agent-profile.ts";
import type { Program } from "./auth/methods.ts";
import { type AgentCore, createAgentCore, type AgentOptions } from "./agent-core.ts";

export interface ClaudeAgent {
  readonly connection: AgentConnection;
  /** Ends every session and what it started. */
  readonly stop: (reason: string) => Promise<void>;
}

export interface ClaudeAgentOptions extends AgentOptions {
  readonly program: Program;
}

export function claudeAgent(link: Link, options: ClaudeAgentOptions): ClaudeAgent {
  let begun: AgentCore | undefined;
  const work = (client: AgentConnection): AgentCore => (begun ??= createAgentCore(client, options));
  const connection = agent(
    link,
    {
      ...claudeProfile(options.program),
      handlers: (client) => work(client).handlers,
      extensions: (client) => ({ "_session/steer": work(client).steer }),
    },
    { onBug: options.onBug },
  );
  const stop = (reason: string): Promise<void> => work(connection).stop(reason);
  void connection.closed.then(stop);
  return { connection, stop };
}
