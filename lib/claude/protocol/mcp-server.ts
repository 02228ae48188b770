/**
 * Schemas of MCP servers: the configuration we give to the CLI and the status it reports.
 */
import {
  items,
  lenient,
  literal,
  number,
  object,
  open,
  optional,
  record,
  type Schema,
  type Static,
  string,
  tagged,
  unknown,
} from "../../schema/index.ts";

const mcpStdioServer = object({
  type: literal("stdio"),
  command: string,
  /** `mcp_set_servers` fails for a server without this field. */
  args: items(string),
  env: optional(record(string)),
  timeout: optional(number),
});
export interface McpStdioServer extends Static<typeof mcpStdioServer> {}
export const McpStdioServer: Schema<McpStdioServer> = mcpStdioServer;

const mcpHttpServer = object({
  type: literal("http"),
  url: string,
  headers: optional(record(string)),
  timeout: optional(number),
});
export interface McpHttpServer extends Static<typeof mcpHttpServer> {}
export const McpHttpServer: Schema<McpHttpServer> = mcpHttpServer;

const mcpSseServer = object({
  type: literal("sse"),
  url: string,
  headers: optional(record(string)),
  timeout: optional(number),
});
export interface McpSseServer extends Static<typeof mcpSseServer> {}
export const McpSseServer: Schema<McpSseServer> = mcpSseServer;

/** A server that the host runs itself. Its messages travel in `mcp_message` requests. */
const mcpHostServer = object({ type: literal("sdk"), name: string, timeout: optional(number) });
export interface McpHostServer extends Static<typeof mcpHostServer> {}
export const McpHostServer: Schema<McpHostServer> = mcpHostServer;

export type McpServerConfig = McpStdioServer | McpHttpServer | McpSseServer | McpHostServer;
export const McpServerConfig: Schema<McpServerConfig> = tagged("type", {
  stdio: mcpStdioServer,
  http: mcpHttpServer,
  sse: mcpSseServer,
  sdk: mcpHostServer,
});

/** Servers by name. The name is part of the names of their tools: `mcp__<name>__<tool>`. */
export type McpServers = Readonly<Record<string, McpServerConfig>>;

const mcpServerStatus = object({
  name: string,
  status: open("connected", "failed", "needs-auth", "pending", "disabled"),
  error: lenient(string),
  transport: lenient(string),
  scope: lenient(string),
  source: lenient(string),
  tools: lenient(items(unknown)),
});
export interface McpServerStatus extends Static<typeof mcpServerStatus> {}
export const McpServerStatus: Schema<McpServerStatus> = mcpServerStatus;
