/**
 * Builds an agent's response to `initialize`: its capabilities, its name and the
 * authentication methods it offers.
 *
 * Pure functions, so that the response can be sent before the agent is loaded.
 */
import type {
  AgentCapabilities,
  Implementation,
  McpCapabilities,
  PromptCapabilities,
} from "./protocol/capabilities.ts";
import {
  type AuthMethod,
  type InitializeRequest,
  type InitializeResponse,
  protocolVersion,
} from "./protocol/initialize.ts";
import type { Meta } from "./protocol/common.ts";
import type { AgentMethods } from "./protocol/methods.ts";

/** The part of an agent's response that does not follow from the methods it serves. */
export interface AgentProfile {
  readonly info: Implementation;
  /** What prompts may contain besides text and resource links. */
  readonly prompt?: PromptCapabilities | undefined;
  /** Which transports of MCP servers the agent supports besides stdio. */
  readonly mcp?: McpCapabilities | undefined;
  /** Whether a session may have more directories than its `cwd`. */
  readonly additionalDirectories?: boolean | undefined;
  /** Whether a client may append to the system prompt, or replace it. */
  readonly systemPrompt?: boolean | undefined;
  /** The authentication methods, which may depend on the client's capabilities. */
  readonly authMethods?: ((request: InitializeRequest) => readonly AuthMethod[]) | undefined;
  /** Custom capabilities under namespaced keys. */
  readonly _meta?: Meta | undefined;
  /** Extensions that clients look for at the top level of the response, next to the capabilities. */
  readonly responseMeta?: Meta | undefined;
}

/** Whether the agent serves a method. */
export type Serves = (method: keyof AgentMethods) => boolean;

/** The response to `initialize`, with the capabilities that follow from the handlers. */
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
    ...(profile.responseMeta !== undefined && { _meta: profile.responseMeta }),
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
      systemPrompt: profile.systemPrompt === true ? { mode: { override: {} } } : undefined,
    },
    auth: { logout: mark("logout") },
    _meta: profile._meta,
  };
}
