/**
 * Entry point of the agent module.
 */
export { type ClaudeAgent, claudeAgent, type ClaudeAgentOptions } from "./agent.ts";
export type { Launcher } from "./cli/launcher.ts";
export { localAgent, type LocalOptions } from "./local-agent.ts";
export { emptyStore } from "./sessions/session-store.ts";
export { serveClaude, type ServeOptions } from "./serve-stdio.ts";
export type { Settings } from "./settings/settings.ts";
export { signInProgram } from "./auth/status.ts";
