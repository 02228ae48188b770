/**
 * The serve room's door.
 */
export { newToken } from "./gate.ts";
export { type RunningServer, type ServerOptions, startServer } from "./server.ts";
