/**
 * Converts the MCP servers of a session request to the CLI's configuration.
 *
 * Runs before a CLI starts, and refuses empty and duplicate names: in the CLI's
 * configuration the second server of a name would silently replace the first.
 */
import type { McpServer } from "../../../acp/index.ts";
import { EngineFailure } from "../../../engine/index.ts";
import type { McpServerConfig, McpServers } from "../../index.ts";

export function mcpConfiguration(servers: readonly McpServer[]): McpServers {
  const configured = new Map<string, McpServerConfig>();
  for (const [i, server] of servers.entries()) {
    const { name } = server;
    if (name === "") throw invalidParams(`mcpServers.${i}.name must not be empty`);
    if (configured.has(name)) throw invalidParams(`mcpServers.${i}.name must be a name not used before`);
    configured.set(name, configurationOf(server));
  }
  return Object.fromEntries(configured);
}

function configurationOf(server: McpServer): McpServerConfig {
  switch (server.type) {
    case "http":
    case "sse":
      return { type: server.type, url: server.url, headers: mapOf(server.headers) };
    case undefined:
      return { type: "stdio", command: server.command, args: server.args, env: mapOf(server.env) };
  }
}

function mapOf(pairs: readonly { readonly name: string; readonly value: string }[]): Readonly<Record<string, string>> {
  return Object.fromEntries(pairs.map(({ name, value }) => [name, value]));
}

function invalidParams(why: string): EngineFailure {
  return new EngineFailure("invalid", why);
}
