/**
 * The serve room's door.
 */
export { minTokenLength, newToken } from "./gate.ts";
export { defaultMaxSessions, type RunningServer, type ServerOptions, startServer } from "./server.ts";
