/**
 * The claude room's door.
 */
export * from "./content.ts";
export { OutgoingControlRequests } from "./control.ts";
export * from "./control-methods.ts";
export { ClaudeConnection, type ConversationEvent } from "./engine.ts";
export { childEnvironment, type Environment, type EnvironmentNeeds } from "./environment.ts";
export { ClaudeExit, ClaudeNotFound, ControlRefused, ControlTimeout } from "./errors.ts";
export { ClaudeEvent, SystemEvent } from "./event.ts";
export { launchFlags, type ClaudeLaunch, type ConversationTarget } from "./flags.ts";
export { HostFrame, PromptFrame } from "./host-frame.ts";
export * from "./host-methods.ts";
export { InitializeAnswer, InitializeFields, ModelOffer } from "./initialize.ts";
export { versionDiagnosis, awaitInitialize, type Launched } from "./launched.ts";
export { orphanFiles, orphanProcesses } from "./leftovers.ts";
export { guardFile, type Guarded } from "./lifeline.ts";
export type { ClaudeLink } from "./link.ts";
export { ChildScanner } from "./lookout.ts";
export { checkVersion, howToInstall, locateClaude, type ClaudeCommand } from "./locate.ts";
export { McpServerConfig, type McpServers } from "./mcp-server.ts";
export { Assistant, AssistantError, StreamEvent, ToolResultMeta, User } from "./message.ts";
export { SystemApiRetry } from "./notice-events.ts";
export { ownResult, ownServer, ownToolName, plainToolName } from "./own-tools.ts";
export * from "./permission.ts";
export { mcpConfigFile, privateFile, type PrivateFile } from "./private-file.ts";
export { ClaudeProcess, type ProcessLaunch } from "./process.ts";
export { runIdVariable } from "./process-table.ts";
export {
  configDirectory,
  findSession,
  isSessionId,
  projectDirectory,
  projectsDirectory,
  projectSlug,
  removeSession,
  sessionFiles,
  type SessionFiles,
} from "./project.ts";
export { Result } from "./result.ts";
export { SlashCommand, SystemInit } from "./session-events.ts";
export * from "./stream.ts";
export { Tally } from "./tally.ts";
export { maxUnreadableTold, readTranscript, type TranscriptOptions, type TranscriptReport } from "./transcript.ts";
export { listTranscripts, type ListedSessions, type ListOptions, transcriptDirectory } from "./transcript-list.ts";
export { describeVersion, isOlder, oldestVersion, readVersion } from "./version.ts";
export { type Schedule, wallClock } from "../wire/index.ts";
