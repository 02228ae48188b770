/**
 * Entry point of the Claude engine: everything other modules may import.
 */
export { claudeEngine, type ClaudeEngineOptions } from "./claude-engine.ts";
export { ClaudeRun, type RawInitializeAnswer } from "./run/claude-run.ts";
export { ClaudeSupervisor, type RunLaunch } from "./run/claude-supervisor.ts";
export { ConversationId } from "./saved/conversation-id.ts";
export { type EditorFeatures, editorFeatures } from "./settings/editor-options.ts";
export {
  type AskPermission,
  type CreateHostTools,
  type HostTools,
  type HostToolsLaunch,
  type HostToolsOptions,
} from "./host-tools.ts";
export { claudeLauncher, type Launcher, type LaunchRequest } from "./run/launcher.ts";
export { diskStore, emptyStore, type SessionStore } from "./saved/session-store.ts";
export { accountUsage } from "./usage-report.ts";
export { signInProgram } from "./sign-in.ts";
