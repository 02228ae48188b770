/**
 * Greeting: what an agent says of itself when a client comes.
 *
 * Pure, so that it can be said before the agent is there.
 */
import type { AgentCapabilities, Implementation, McpCapabilities, PromptCapabilities } from "./capabilities.ts";
import { type AuthMethod, type InitializeRequest, type InitializeResponse, protocolVersion } from "./initialize.ts";
import type { Meta } from "./common.ts";
import type { AgentMethods } from "./methods.ts";

/** What is true of an agent besides the methods it serves. */
export interface AgentProfile {
  readonly info: Implementation;
  /** What prompts may carry besides text and links. */
  readonly prompt?: PromptCapabilities | undefined;
  /** Which MCP servers it connects to besides stdio ones. */
  readonly mcp?: McpCapabilities | undefined;
  /** Whether a session may span more directories than its `cwd`. */
  readonly additionalDirectories?: boolean | undefined;
  /** Ways to sign in; which ones may depend on what the client can do. */
  readonly authMethods?: ((request: InitializeRequest) => readonly AuthMethod[]) | undefined;
  /** Custom capabilities, namespaced. */
  readonly _meta?: Meta | undefined;
}

/** Whether the agent serves a method. */
export type Serves = (method: keyof AgentMethods) => boolean;

export function initializeResponse(
  profile: AgentProfile,
  serves: Serves,
  request: InitializeRequest,
): InitializeResponse {
  return {
    protocolVersion,
    agentCapabilities: capabilitiesOf(profile, serves),
    authMethods: profile.authMethods?.(request) ?? [],
    agentInfo: profile.info,
  };
}

export function capabilitiesOf(profile: AgentProfile, serves: Serves): AgentCapabilities {
  const mark = (method: keyof AgentMethods): {} | undefined => (serves(method) ? {} : undefined);
  return {
    loadSession: serves("session/load"),
    promptCapabilities: { image: false, audio: false, embeddedContext: false, ...profile.prompt },
    mcpCapabilities: { http: false, sse: false, ...profile.mcp },
    sessionCapabilities: {
      list: mark("session/list"),
      delete: mark("session/delete"),
      additionalDirectories: profile.additionalDirectories === true ? {} : undefined,
      resume: mark("session/resume"),
      close: mark("session/close"),
      fork: mark("session/fork"),
      status: mark("session/status"),
      title: mark("session/set_title"),
    },
    auth: { logout: mark("logout") },
    _meta: profile._meta,
  };
}
