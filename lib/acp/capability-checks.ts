/**
 * Checks whether the capabilities a side advertised allow a call, prompt or update.
 *
 * Each check returns the name of the missing capability, or undefined when the message
 * is allowed. Client and agent both use the checks, for messages they send and receive.
 */
import type { AgentCapabilities, ClientCapabilities } from "./protocol/capabilities.ts";
import type { SessionConfigOption } from "./protocol/config-option.ts";
import type { ContentBlock } from "./protocol/content.ts";
import type { CreateElicitationRequest } from "./protocol/elicitation.ts";
import type { AuthMethod } from "./protocol/initialize.ts";
import type { McpServer } from "./protocol/mcp-server.ts";
import type { AgentMethods, ClientMethods } from "./protocol/methods.ts";
import type { SessionUpdate } from "./protocol/update.ts";

/** The name of the capability that a method needs, and whether it is advertised. */
interface CapabilityCheck<C> {
  readonly needs: string;
  readonly isMet: (capabilities: C) => boolean;
}

const terminalCheck: CapabilityCheck<ClientCapabilities> = {
  needs: "terminal",
  isMet: ({ terminal }) => terminal === true,
};

const clientChecks: Readonly<Partial<Record<keyof ClientMethods, CapabilityCheck<ClientCapabilities>>>> = {
  "fs/read_text_file": { needs: "fs.readTextFile", isMet: ({ fs }) => fs?.readTextFile === true },
  "fs/write_text_file": { needs: "fs.writeTextFile", isMet: ({ fs }) => fs?.writeTextFile === true },
  "terminal/create": terminalCheck,
  "terminal/output": terminalCheck,
  "terminal/wait_for_exit": terminalCheck,
  "terminal/kill": terminalCheck,
  "terminal/release": terminalCheck,
  "elicitation/complete": { needs: "elicitation.url", isMet: ({ elicitation }) => elicitation?.url != null },
};

const agentChecks: Readonly<Partial<Record<keyof AgentMethods, CapabilityCheck<AgentCapabilities>>>> = {
  logout: { needs: "auth.logout", isMet: ({ auth }) => auth?.logout != null },
  "session/load": { needs: "loadSession", isMet: ({ loadSession }) => loadSession === true },
  "session/list": sessionCheck("list"),
  "session/resume": sessionCheck("resume"),
  "session/close": sessionCheck("close"),
  "session/delete": sessionCheck("delete"),
  "session/fork": sessionCheck("fork"),
  "session/status": sessionCheck("status"),
  "session/set_title": sessionCheck("title"),
};

/** The capability a client must advertise before an agent may call this method. */
export function missingForClientMethod(
  capabilities: ClientCapabilities,
  method: keyof ClientMethods,
): string | undefined {
  return missing(clientChecks[method], capabilities);
}

/** The capability an agent must advertise before a client may call this method. */
export function missingForAgentMethod(capabilities: AgentCapabilities, method: keyof AgentMethods): string | undefined {
  return missing(agentChecks[method], capabilities);
}

export function missingForUpdate(capabilities: ClientCapabilities, update: SessionUpdate): string | undefined {
  switch (update.sessionUpdate) {
    case "notice":
      return capabilities.session?.notices == null ? "session.notices" : undefined;
    case "compaction_update":
    case "compaction_summary_chunk":
      return capabilities.session?.compaction == null ? "session.compaction" : undefined;
    case "config_option_update":
      return update.configOptions.every((option) => canShow(capabilities, option))
        ? undefined
        : "session.configOptions.boolean";
    case "user_message_chunk":
    case "agent_message_chunk":
    case "agent_thought_chunk":
    case "tool_call":
    case "tool_call_update":
    case "plan":
    case "available_commands_update":
    case "current_mode_update":
    case "session_info_update":
    case "usage_update":
      return undefined;
  }
}

/** Whether a client can show this kind of config option. */
export function canShow(capabilities: ClientCapabilities, option: SessionConfigOption): boolean {
  return option.type !== "boolean" || capabilities.session?.configOptions?.boolean != null;
}

export function missingForElicitation(
  { elicitation }: ClientCapabilities,
  { mode }: CreateElicitationRequest,
): string | undefined {
  const isAdvertised = (mode === "form" && elicitation?.form != null) || (mode === "url" && elicitation?.url != null);
  return isAdvertised ? undefined : `elicitation.${mode === "form" || mode === "url" ? mode : "<mode>"}`;
}

export function missingForPrompt(
  { promptCapabilities }: AgentCapabilities,
  prompt: readonly ContentBlock[],
): string | undefined {
  for (const { type } of prompt) {
    if (type === "image" && promptCapabilities?.image !== true) return "promptCapabilities.image";
    if (type === "audio" && promptCapabilities?.audio !== true) return "promptCapabilities.audio";
    if (type === "resource" && promptCapabilities?.embeddedContext !== true)
      return "promptCapabilities.embeddedContext";
  }
  return undefined;
}

/** The parts of a request for a session that need a capability of the agent. */
export interface SessionSetup {
  readonly mcpServers?: readonly McpServer[] | undefined;
  readonly additionalDirectories?: readonly string[] | undefined;
}

export function missingForSessionSetup(
  { mcpCapabilities, sessionCapabilities }: AgentCapabilities,
  { mcpServers = [], additionalDirectories = [] }: SessionSetup,
): string | undefined {
  for (const { type } of mcpServers) {
    if (type === "http" && mcpCapabilities?.http !== true) return "mcpCapabilities.http";
    if (type === "sse" && mcpCapabilities?.sse !== true) return "mcpCapabilities.sse";
  }
  const takesDirectories = sessionCapabilities?.additionalDirectories != null;
  return additionalDirectories.length > 0 && !takesDirectories
    ? "sessionCapabilities.additionalDirectories"
    : undefined;
}

/** `authenticate` is only for methods that the agent offered and handles itself. */
export function missingForAuthenticate(methods: readonly AuthMethod[], methodId: string): string | undefined {
  return methods.some(({ id, type }) => id === methodId && type !== "terminal")
    ? undefined
    : "authMethods with this id";
}

function sessionCheck(
  name: "list" | "resume" | "close" | "delete" | "fork" | "status" | "title",
): CapabilityCheck<AgentCapabilities> {
  return {
    needs: `sessionCapabilities.${name}`,
    isMet: ({ sessionCapabilities }) => sessionCapabilities?.[name] != null,
  };
}

function missing<C>(check: CapabilityCheck<C> | undefined, capabilities: C): string | undefined {
  return check === undefined || check.isMet(capabilities) ? undefined : check.needs;
}
