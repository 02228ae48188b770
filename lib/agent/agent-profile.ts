/**
 * The agent's answer to `initialize`: its name, capabilities and sign-in methods.
 *
 * Loaded before the rest of the agent (see early-initialize.ts), so it must not import
 * the handlers, the sessions or the claude module.
 */
import type { AgentProfile } from "../acp/index.ts";
import { version } from "../version.ts";
import { type Program, signInMethods } from "../claude/sign-in/index.ts";

export function agentProfile(program: Program): AgentProfile {
  return {
    info: { name: "bowline", title: "Claude Agent (Bowline)", version },
    prompt: { image: true, embeddedContext: true },
    mcp: { http: true, sse: true },
    additionalDirectories: true,
    authMethods: (request) => signInMethods(request, program),
  };
}

/** The agent implements every ACP method. */
export function servesAll(): boolean {
  return true;
}
