/**
 * Schemas of the MCP servers that the client wants the agent to connect to.
 *
 * Read strictly: if a malformed server were dropped, the user would believe that its
 * tools are available. A stdio server is the one without a `type`.
 */
import { array, literal, nullTo, type Schema, type Static, string, tagged } from "../../schema/index.ts";
import { withMeta } from "./common.ts";
import { EnvVariable } from "./terminal.ts";

const httpHeader = withMeta({ name: string, value: string });
export interface HttpHeader extends Static<typeof httpHeader> {}
export const HttpHeader: Schema<HttpHeader> = httpHeader;

const mcpServerHttp = withMeta({
  type: literal("http"),
  name: string,
  url: string,
  headers: nullTo(array(HttpHeader), () => []),
});
export interface McpServerHttp extends Static<typeof mcpServerHttp> {}
export const McpServerHttp: Schema<McpServerHttp> = mcpServerHttp;

const mcpServerSse = withMeta({
  type: literal("sse"),
  name: string,
  url: string,
  headers: nullTo(array(HttpHeader), () => []),
});
export interface McpServerSse extends Static<typeof mcpServerSse> {}
export const McpServerSse: Schema<McpServerSse> = mcpServerSse;

const mcpServerStdio = withMeta({
  name: string,
  command: string,
  args: nullTo(array(string), () => []),
  env: nullTo(array(EnvVariable), () => []),
});
export interface McpServerStdio extends Static<typeof mcpServerStdio> {
  /** Never present; its absence marks a stdio server. */
  readonly type?: undefined;
}
export const McpServerStdio: Schema<McpServerStdio> = mcpServerStdio;

export type McpServer = McpServerHttp | McpServerSse | McpServerStdio;
export const McpServer: Schema<McpServer> = tagged("type", { http: McpServerHttp, sse: McpServerSse }, McpServerStdio);
