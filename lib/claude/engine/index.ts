/**
 * Entry point of the Claude engine: everything other modules may import.
 */
export { claudeEngine, type ClaudeEngineOptions } from "./claude-engine.ts";
export { ClaudeRun, type RawInitializeAnswer } from "./claude-run.ts";
export { ClaudeSupervisor, type RunLaunch } from "./claude-supervisor.ts";
export { ConversationId } from "./conversation-id.ts";
export { type EditorFeatures, editorFeatures } from "./editor-options.ts";
export {
  type AskPermission,
  type CreateHostTools,
  type HostTools,
  type HostToolsLaunch,
  type HostToolsOptions,
  noHostTools,
} from "./host-tools.ts";
export { claudeLauncher, type Launcher, type LaunchRequest } from "./launcher.ts";
export { diskStore, emptyStore, type SessionStore } from "./session-store.ts";
export { accountUsage } from "./usage-report.ts";
export { signInProgram } from "./sign-in.ts";
