/**
 * Agent: Claude Code as an ACP agent, on one link.
 */
import type { Link } from "../wire/index.ts";
import { agentFront, type ClaudeAgent, type FrontOptions } from "./front.ts";
import { workFor, type WorkOptions } from "./work.ts";

export interface ClaudeAgentOptions extends WorkOptions, FrontOptions {}

export function claudeAgent(link: Link, options: ClaudeAgentOptions): ClaudeAgent {
  return agentFront(link, options, (client) => workFor(client, options));
}
