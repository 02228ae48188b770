/**
 * Entry point of the serve module.
 */
export { newToken } from "./access-control.ts";
export { type RunningServer, type ServerOptions, startServer } from "./server.ts";
