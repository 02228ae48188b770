/**
 * The Claude agent for specs: reads no file of this machine and does not depend on its user.
 */
import { type Agent, type AgentOptions, createAgent } from "../../../lib/agent/index.ts";
import type { Link } from "../../../lib/wire/index.ts";

export function claudeAgent(link: Link, options: AgentOptions): Agent {
  return createAgent(link, { textOf: () => undefined, mayBypass: false, ...options });
}
