/**
 * Entry point of the claude module: everything other modules may import, except `translate/`.
 */
export {
  Block,
  TextBlock,
  ThinkingBlock,
  ToolResultBlock,
  ToolResultPart,
  ToolUseBlock,
  ClaudeUsage,
} from "./protocol/content.ts";
export { OutgoingControlRequests } from "./control/outgoing-requests.ts";
export {
  type ControlAnswer,
  type ControlFields,
  controlMethods,
  type ControlMethods,
  type ControlName,
  HooksListing,
  TaskOutput,
} from "./control/control-methods.ts";
export { ClaudeConnection, type ClaudeLink, type ConversationEvent } from "./claude-connection.ts";
export { childEnvironment, type Environment, type EnvironmentNeeds } from "./process/environment.ts";
export { ClaudeExit, ClaudeNotFound, ControlRefused, ControlTimeout } from "./errors.ts";
export { ClaudeEvent, type RateLimitInfo, SystemEvent } from "./protocol/event.ts";
export { launchFlags, type ClaudeLaunch, type ConversationTarget } from "./process/launch-flags.ts";
export { HostFrame, PromptFrame } from "./protocol/input-frames.ts";
export {
  Elicitation,
  ElicitationResult,
  HookAnswer,
  HookCallback,
  type HostHandlers,
  type HostMethodName,
  hostMethods,
  type HostMethods,
} from "./control/host-methods.ts";
export { InitializeAnswer, InitializeFields, ModelOffer } from "./protocol/initialize.ts";
export { versionDiagnosis, awaitInitialize, type LaunchedCli } from "./process/startup.ts";
export { ChildScanner } from "./process/child-scan.ts";
export { checkVersion, howToInstall, locateClaude, type ClaudeCommand } from "./process/find-cli.ts";
export { McpServerConfig, McpServerStatus, type McpServers } from "./protocol/mcp-server.ts";
export { Assistant, AssistantError, StreamEvent, ToolResultMeta, User } from "./protocol/message.ts";
export { SystemApiRetry } from "./protocol/system-notice.ts";
export { ownResult, ownServer, ownToolName } from "./protocol/replaced-tools.ts";
export {
  AllowTool,
  AnyUpdate,
  CanUseTool,
  PermissionMode,
  PermissionUpdate,
  ToolDecision,
} from "./protocol/permission.ts";
export { mcpConfigFile, privateFile, type PrivateFile } from "./process/private-file.ts";
export { ClaudeProcess, type ProcessLaunch } from "./process/claude-process.ts";

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
} from "./transcript/session-files.ts";
export { Result } from "./protocol/result.ts";
export { UsageAnswer } from "./protocol/usage.ts";
export { SlashCommand, SystemInit } from "./protocol/system-session.ts";
export { AbandonedBlocks, AnswerEvent, BlockDelta } from "./protocol/stream-event.ts";
export {
  maxUnreadableReported,
  readTranscript,
  type TranscriptOptions,
  type TranscriptReport,
} from "./transcript/read-transcript.ts";
export { listTranscripts, type ListedSessions, type ListOptions, transcriptDirectory } from "./transcript/list.ts";
export { describeVersion, isOlder, minimumVersion, readVersion, testedVersion } from "./version.ts";
