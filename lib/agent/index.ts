/**
 * Entry point of the agent module.
 */
export type { Agent } from "./agent.ts";
export type { AgentSettings } from "./agent-context.ts";
export { type AgentOptions, createAgent } from "./create-agent.ts";
export { neverOption } from "./permissions/ask-permission.ts";
export { areBothInstalled, defaultRoute, type EngineId, engineIds, type Route, routes } from "./route.ts";
export { serveAgent, type ServeOptions } from "./serve-stdio.ts";
