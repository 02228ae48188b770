/**
 * The agent room's door.
 */
export { type ClaudeAgent, claudeAgent, type ClaudeAgentOptions } from "./agent.ts";
export type { Launcher } from "./launcher.ts";
export { localAgent, type LocalOptions } from "./local.ts";
export { emptyStore } from "./saved.ts";
export { serveClaude, type ServeOptions } from "./serve.ts";
export type { Settings } from "./settings.ts";
export { signInProgram } from "./sign-in.ts";
