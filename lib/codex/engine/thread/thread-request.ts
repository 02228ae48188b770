/**
 * Builds the parameters with which a thread is started, resumed or forked. Converts the MCP
 * servers of the session request to the configuration of the thread.
 *
 * The user's config.toml holds for everything that is not named here, and is never changed:
 * `thread/start` with a sandbox that can write would save the directory as trusted, so such
 * a sandbox is set after the start.
 */
import type { McpServer } from "../../../acp/index.ts";
import { type RequestedOptions, EngineFailure } from "../../../engine/index.ts";
import { isRecord } from "../../../schema/index.ts";
import type { CodexConfig, SandboxPolicy } from "../../protocol/index.ts";
import { configuredSandbox, profileSandboxes } from "../../translate/index.ts";

export interface ThreadStartPlan {
  readonly params: {
    readonly cwd: string;
    readonly config: Readonly<Record<string, unknown>>;
    readonly sandbox?: "read-only";
  };
  /** What the user's configuration allows, to be set once the thread is started. */
  readonly afterStart: OwnPermissions | undefined;
}

interface OwnPermissions {
  readonly settings: { readonly sandboxPolicy: SandboxPolicy } | { readonly permissions: string };
  /** Null where only Codex knows what a profile of the user's own allows. */
  readonly sandbox: SandboxPolicy | null;
}

/** What to send to start or fork a thread. `config` is the effective configuration of the directory. */
export function planThreadStart(cwd: string, mcpServers: readonly McpServer[], config: CodexConfig): ThreadStartPlan {
  const params = { cwd, config: threadConfig(mcpServers, config) };
  const own = ownPermissions(config);
  const project = config.projects?.[cwd];
  if (own === undefined || own.sandbox?.type === "readOnly" || (isRecord(project) && project["trust_level"] != null)) {
    return { params, afterStart: undefined };
  }
  return { params: { ...params, sandbox: "read-only" }, afterStart: own };
}

/** Undefined when the configuration leaves it to Codex, which then only reads in a directory that is not trusted. */
function ownPermissions(config: CodexConfig): OwnPermissions | undefined {
  const { default_permissions: permissions } = config;
  if (permissions != null) return { settings: { permissions }, sandbox: profileSandboxes.get(permissions) ?? null };
  const sandbox = configuredSandbox(config);
  return sandbox && { settings: { sandboxPolicy: sandbox }, sandbox };
}

/** The system prompt that the client requests, as parameters of a thread. */
export function instructions(requestedOptions: RequestedOptions | undefined): Readonly<Record<string, string>> {
  const prompt = requestedOptions?.systemPrompt;
  if (prompt === undefined) return {};
  return prompt.isAppended ? { developerInstructions: prompt.text } : { baseInstructions: prompt.text };
}

/** The configuration of one thread, in addition to the user's. */
export function threadConfig(mcpServers: readonly McpServer[], config: CodexConfig): Readonly<Record<string, unknown>> {
  const planTool = config.tools?.["update_plan"];
  return {
    // Without this tool there are no plans.
    ...(!isRecord(planTool) && { "tools.update_plan.enabled": true }),
    // Without this most models send no thoughts.
    ...(config.model_reasoning_summary == null && { model_reasoning_summary: "auto" }),
    ...(mcpServers.length > 0 && { mcp_servers: mcpConfig(mcpServers, Object.keys(config.mcp_servers ?? {})) }),
  };
}

/** Throws an `EngineFailure` of kind `invalid` when the client takes tools from the model: Codex has no such lists. */
export function checkRequestedOptions(requestedOptions: RequestedOptions | undefined): void {
  const { tools, disallowedTools = [] } = requestedOptions ?? {};
  if (tools === undefined && disallowedTools.length === 0) return;
  throw invalid(
    "Codex cannot leave out tools: _meta must not name allowed or disallowed tools, or the session must be Claude's",
  );
}

/** Throws an `EngineFailure` of kind `invalid` for servers that Codex cannot use. */
export function checkMcpServers(servers: readonly McpServer[]): void {
  const names = new Set<string>();
  for (const [i, { name, type }] of servers.entries()) {
    if (type === "sse") throw invalid(`mcpServers.${i}: Codex cannot use MCP servers of type sse`);
    if (!/^[\w:@/.-]+$/.test(name)) {
      throw invalid(`mcpServers.${i}.name must consist of letters, digits and _ : @ / . - for Codex`);
    }
    if (names.has(name)) throw invalid(`mcpServers.${i}.name must be a name not used before`);
    names.add(name);
  }
}

/** A server that has the name of one of the user's gets another: Codex would merge the two into one that is broken. */
function mcpConfig(servers: readonly McpServer[], taken: readonly string[]): Readonly<Record<string, unknown>> {
  const used = new Set([...taken, ...servers.map(({ name }) => name)]);
  return Object.fromEntries(
    servers.map((server) => {
      let { name } = server;
      if (taken.includes(name)) while (used.has(name)) name += "_editor";
      used.add(name);
      return [name, configOf(server)];
    }),
  );
}

function configOf(server: McpServer): Readonly<Record<string, unknown>> {
  if (server.type !== undefined) return { url: server.url, http_headers: mapOf(server.headers) };
  return { command: server.command, args: server.args, env: mapOf(server.env) };
}

function mapOf(pairs: readonly { readonly name: string; readonly value: string }[]): Readonly<Record<string, string>> {
  return Object.fromEntries(pairs.map(({ name, value }) => [name, value]));
}

function invalid(why: string): EngineFailure {
  return new EngineFailure("invalid", why);
}
