/**
 * Public names of the serve module: an HTTP server with a web page for agent sessions.
 */
export type { AcpConnectionInfo, AcpRole, OnAcpConnection } from "./acp/acp-connection.ts";
export { newToken } from "./access-control.ts";
export type { EngineChoice } from "./routes.ts";
export { type RunningServer, type ServerOptions, startServer } from "./server.ts";
