/**
 * The claude room's door.
 */
export * from "./content.ts";
export { Control, type ControlEnds, type RequestOptions } from "./control.ts";
export {
  ControlCancelRequest,
  ControlFailure,
  ControlOutcome,
  ControlRequest,
  ControlResponse,
  ControlSubject,
  ControlSuccess,
} from "./control-frame.ts";
export * from "./control-methods.ts";
export { Engine, type ConversationEvent, type EngineOptions } from "./engine.ts";
export { endMarked, markName } from "./descendants.ts";
export { childEnvironment, type Environment, type EnvironmentNeeds } from "./environment.ts";
export { ClaudeExit, ClaudeNotFound, ControlRefused, ControlTimeout, type ExitFacts } from "./errors.ts";
export {
  AuthStatus,
  ClaudeEvent,
  CommandLifecycle,
  ConversationReset,
  PromptSuggestion,
  QuietEvent,
  RateLimitEvent,
  RateLimitInfo,
  SystemEvent,
  ToolProgress,
  ToolUseSummary,
} from "./event.ts";
export { launchFlags, type ClaudeLaunch, type SessionChoice } from "./flags.ts";
export { HostFrame, KeepAliveFrame, PromptFrame, PromptMessage } from "./host-frame.ts";
export * from "./host-methods.ts";
export { Account, AgentOffer, HookMatcher, InitializeAnswer, InitializeFields, ModelOffer } from "./initialize.ts";
export { examiner, greeted, type Launched } from "./launched.ts";
export { leftFiles, leftProcesses, type LeftProcess } from "./leftovers.ts";
export type { ClaudeLink } from "./link.ts";
export { Lookout } from "./lookout.ts";
export { checkVersion, howToInstall, locateClaude, type ClaudeCommand, type LocateOptions } from "./locate.ts";
export {
  McpHostServer,
  McpHttpServer,
  McpServerConfig,
  McpServerStatus,
  McpSseServer,
  McpStdioServer,
  type McpServers,
} from "./mcp-server.ts";
export {
  Assistant,
  AssistantError,
  AssistantMessage,
  PermissionDecision,
  StreamEvent,
  ToolResultMeta,
  ToolUseMeta,
  User,
  UserMessage,
} from "./message.ts";
export {
  SystemApiRetry,
  SystemControlRequestProgress,
  SystemHook,
  SystemInformational,
  SystemLocalCommandOutput,
  SystemModelChange,
  SystemNotification,
  SystemPermissionDenied,
  SystemRemark,
  SystemThinkingTokens,
  type NoticeEvent,
} from "./notice-events.ts";
export { ownResult, ownServer, ownToolName, plainToolName } from "./own-tools.ts";
export * from "./permission.ts";
export { mcpConfigFile, privateFile, type PrivateFile } from "./private-file.ts";
export {
  ClaudeProcess,
  defaultEndGraceMs,
  defaultMaxCliLineBytes,
  defaultStderrTailChars,
  defaultTermGraceMs,
  type ProcessLaunch,
} from "./process.ts";
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
export { ModelUsage, Origin, PermissionDenial, Result, ResultSubtype, TerminalReason } from "./result.ts";
export {
  CompactMetadata,
  McpServerState,
  SlashCommand,
  SystemCommandsChanged,
  SystemCompactBoundary,
  SystemInit,
  SystemSessionStateChanged,
  SystemSessionTitleChanged,
  SystemSessionWritesLost,
  SystemStatus,
  type SessionEvent,
} from "./session-events.ts";
export * from "./stream.ts";
export { Tally } from "./tally.ts";
export {
  BackgroundTask,
  SystemBackgroundTasksChanged,
  SystemTaskNotification,
  SystemTaskProgress,
  SystemTaskStarted,
  SystemTaskUpdated,
  TaskPatch,
  TaskUsage,
  type TaskEvent,
} from "./task-events.ts";
export {
  maxUnreadableTold,
  readTranscript,
  type TranscriptOptions,
  type TranscriptReport,
  type Unreadable,
} from "./transcript.ts";
export { defaultTranscriptLimits, type TranscriptLimits } from "./transcript-cap.ts";
export {
  defaultPageSize,
  listTranscripts,
  type ListedSession,
  type ListedSessions,
  type ListOptions,
} from "./transcript-list.ts";
export { maxTitleChars } from "./transcript-summary.ts";
export { defaultMaxTranscriptLineBytes } from "./transcript-lines.ts";
export type { Unknown } from "./unknown.ts";
export { describeVersion, isOlder, oldestVersion, readVersion, type Version } from "./version.ts";
export { type After, wallClock } from "../wire/index.ts";
