/**
 * Profile: what Claude Code, as an agent, says of itself.
 */
import type { AgentProfile } from "../acp/index.ts";
import { version } from "../version.ts";
import { type Program, signInMethods } from "./auth/methods.ts";

export function claudeProfile(program: Program): AgentProfile {
  return {
    info: { name: "bowline", title: "Claude Agent (Bowline)", version },
    prompt: { image: true, embeddedContext: true },
    mcp: { http: true, sse: true },
    additionalDirectories: true,
    authMethods: (request) => signInMethods(request, program),
  };
}

/** It serves every method there is. */
export function servesAll(): boolean {
  return true;
}
