/**
 * Gates: what may not be said to a peer that did not advertise it.
 *
 * Each gate answers with the capability that is missing, or undefined when the
 * way is free. Both roles use them: before sending, and for what they receive.
 */
import type { AgentCapabilities, ClientCapabilities } from "./capabilities.ts";
import type { SessionConfigOption } from "./config-option.ts";
import type { ContentBlock } from "./content.ts";
import type { CreateElicitationRequest } from "./elicitation.ts";
import type { AuthMethod } from "./initialize.ts";
import type { McpServer } from "./mcp-server.ts";
import type { AgentMethods, ClientMethods } from "./methods.ts";
import type { SessionUpdate } from "./update.ts";

/** The name of the capability a method needs, and whether it is there. */
interface Gate<C> {
  readonly needs: string;
  readonly isOpen: (capabilities: C) => boolean;
}

const terminalGate: Gate<ClientCapabilities> = { needs: "terminal", isOpen: ({ terminal }) => terminal === true };

const clientGates: Readonly<Partial<Record<keyof ClientMethods, Gate<ClientCapabilities>>>> = {
  "fs/read_text_file": { needs: "fs.readTextFile", isOpen: ({ fs }) => fs?.readTextFile === true },
  "fs/write_text_file": { needs: "fs.writeTextFile", isOpen: ({ fs }) => fs?.writeTextFile === true },
  "terminal/create": terminalGate,
  "terminal/output": terminalGate,
  "terminal/wait_for_exit": terminalGate,
  "terminal/kill": terminalGate,
  "terminal/release": terminalGate,
  "elicitation/complete": { needs: "elicitation.url", isOpen: ({ elicitation }) => elicitation?.url != null },
};

const agentGates: Readonly<Partial<Record<keyof AgentMethods, Gate<AgentCapabilities>>>> = {
  logout: { needs: "auth.logout", isOpen: ({ auth }) => auth?.logout != null },
  "session/load": { needs: "loadSession", isOpen: ({ loadSession }) => loadSession === true },
  "session/list": sessionGate("list"),
  "session/resume": sessionGate("resume"),
  "session/close": sessionGate("close"),
  "session/delete": sessionGate("delete"),
  "session/fork": sessionGate("fork"),
  "session/status": sessionGate("status"),
  "session/set_title": sessionGate("title"),
};

/** What a client would have to advertise before this method is called on it. */
export function missingForClientMethod(
  capabilities: ClientCapabilities,
  method: keyof ClientMethods,
): string | undefined {
  return missing(clientGates[method], capabilities);
}

/** What an agent would have to advertise before this method is called on it. */
export function missingForAgentMethod(capabilities: AgentCapabilities, method: keyof AgentMethods): string | undefined {
  return missing(agentGates[method], capabilities);
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

/** Whether a client can show this kind of option. */
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

/** The parts of a request that opens a session which not every agent takes. */
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

/** `authenticate` is for methods the agent offered and handles itself. */
export function missingForAuthenticate(methods: readonly AuthMethod[], methodId: string): string | undefined {
  return methods.some(({ id, type }) => id === methodId && type !== "terminal")
    ? undefined
    : "authMethods with this id";
}

function sessionGate(
  name: "list" | "resume" | "close" | "delete" | "fork" | "status" | "title",
): Gate<AgentCapabilities> {
  return {
    needs: `sessionCapabilities.${name}`,
    isOpen: ({ sessionCapabilities }) => sessionCapabilities?.[name] != null,
  };
}

function missing<C>(gate: Gate<C> | undefined, capabilities: C): string | undefined {
  return gate === undefined || gate.isOpen(capabilities) ? undefined : gate.needs;
}
