/**
 * Entry point of the acp module: the Agent Client Protocol's types and both its roles.
 */
export { agent, type AgentDefinition, type AgentHandlers } from "./agent.ts";
export { AgentConnection } from "./agent-connection.ts";
export { block, configOption, location, permissionOption, planEntry, toolContent, update } from "./builders.ts";
export {
  AgentAuthCapabilities,
  AgentCapabilities,
  AuthCapabilities,
  ClientCapabilities,
  ClientSessionCapabilities,
  ElicitationCapabilities,
  FileSystemCapabilities,
  Implementation,
  McpCapabilities,
  PromptCapabilities,
  SessionCapabilities,
  SessionConfigOptionsCapabilities,
} from "./protocol/capabilities.ts";
export { canShow, missingForElicitation } from "./capability-checks.ts";
export { client, type ClientDefinition, type ClientHandlers } from "./client.ts";
export { ClientConnection } from "./client-connection.ts";
export {
  SessionConfigBoolean,
  SessionConfigOption,
  SessionConfigOptionCategory,
  SessionConfigSelect,
  SessionConfigSelectGroup,
  SessionConfigSelectOption,
  SessionConfigSelectOptions,
  SetSessionConfigBoolean,
  SetSessionConfigOptionRequest,
  SetSessionConfigOptionResponse,
  SetSessionConfigValue,
} from "./protocol/config-option.ts";
export {
  CancelRequestNotification,
  type EmptyResponse,
  isAbsolutePath,
  type Marker,
  type Meta,
  RequestId,
} from "./protocol/common.ts";
export { Connection, type ConnectionOptions, type ExtensionName, type Extensions } from "./connection.ts";
export {
  Annotations,
  AudioContent,
  BlobResourceContents,
  ContentBlock,
  EmbeddedResource,
  EmbeddedResourceResource,
  ImageContent,
  ResourceLink,
  Role,
  TextContent,
  TextResourceContents,
} from "./protocol/content.ts";
export {
  CompleteElicitationNotification,
  CreateElicitationRequest,
  CreateElicitationResponse,
  ElicitationAccepted,
  ElicitationCancelled,
  ElicitationDeclined,
  ElicitationOtherAction,
  type FormElicitation,
  isElicitationAccepted,
  isFormElicitation,
  isUrlElicitation,
  type OtherElicitation,
  RequestFormElicitation,
  RequestOtherElicitation,
  RequestUrlElicitation,
  SessionFormElicitation,
  SessionOtherElicitation,
  SessionUrlElicitation,
  type UrlElicitation,
} from "./protocol/elicitation.ts";
export {
  BooleanPropertySchema,
  ElicitationContentValue,
  ElicitationPropertySchema,
  ElicitationSchema,
  EnumOption,
  IntegerPropertySchema,
  MultiSelectItems,
  MultiSelectPropertySchema,
  NumberPropertySchema,
  OtherMultiSelectItems,
  OtherPropertySchema,
  StringFormat,
  StringMultiSelectItems,
  StringPropertySchema,
  TitledMultiSelectItems,
} from "./protocol/elicitation-form.ts";
export {
  ReadTextFileRequest,
  ReadTextFileResponse,
  WriteTextFileRequest,
  WriteTextFileResponse,
} from "./protocol/text-file.ts";
export { type AgentProfile, initializeResponse } from "./initialize-response.ts";
export {
  AuthenticateRequest,
  AuthenticateResponse,
  AuthMethod,
  AuthMethodAgent,
  AuthMethodTerminal,
  InitializeRequest,
  InitializeResponse,
  LogoutRequest,
  LogoutResponse,
  protocolVersion,
} from "./protocol/initialize.ts";
export { HttpHeader, McpServer, McpServerHttp, McpServerSse, McpServerStdio } from "./protocol/mcp-server.ts";
export { type AgentMethods, agentMethods, type ClientMethods, clientMethods } from "./protocol/methods.ts";
export {
  type ModelId,
  ModelInfo,
  SessionMode,
  SessionModelState,
  SessionModeState,
  SetSessionModelRequest,
  SetSessionModeRequest,
  SetSessionModeResponse,
} from "./protocol/mode.ts";
export {
  CancelledPermissionOutcome,
  PermissionOption,
  PermissionOptionKind,
  RequestPermissionOutcome,
  RequestPermissionRequest,
  RequestPermissionResponse,
  SelectedPermissionOutcome,
} from "./protocol/permission.ts";
export { PlanEntry, PlanEntryPriority, PlanEntryStatus } from "./protocol/plan.ts";
export { PromptRequest, PromptResponse, StopReason, Usage } from "./protocol/prompt.ts";
export {
  CancelNotification,
  CloseSessionRequest,
  CloseSessionResponse,
  DeleteSessionRequest,
  DeleteSessionResponse,
  ForkSessionRequest,
  ForkSessionResponse,
  ListSessionsRequest,
  ListSessionsResponse,
  LoadSessionRequest,
  LoadSessionResponse,
  NewSessionRequest,
  NewSessionResponse,
  ResumeSessionRequest,
  ResumeSessionResponse,
  SessionInfo,
  SessionStatus,
  SessionStatusRequest,
  SessionStatusResponse,
  SetSessionTitleRequest,
  SetSessionTitleResponse,
} from "./protocol/session.ts";
export {
  CreateTerminalRequest,
  CreateTerminalResponse,
  EnvVariable,
  KillTerminalRequest,
  KillTerminalResponse,
  ReleaseTerminalRequest,
  ReleaseTerminalResponse,
  TerminalExitStatus,
  TerminalOutputRequest,
  TerminalOutputResponse,
  WaitForTerminalExitRequest,
  WaitForTerminalExitResponse,
} from "./protocol/terminal.ts";
export {
  Content,
  Diff,
  Terminal,
  ToolCallContent,
  ToolCallLocation,
  ToolCallStatus,
  ToolCallUpdate,
  ToolKind,
} from "./protocol/tool-call.ts";
export {
  AgentMessageChunk,
  AgentThoughtChunk,
  AvailableCommand,
  AvailableCommandInput,
  AvailableCommandsUpdate,
  CompactionStatus,
  CompactionSummaryChunk,
  CompactionUpdate,
  ConfigOptionUpdate,
  Cost,
  CurrentModeUpdate,
  Notice,
  NoticeSeverity,
  Plan,
  SessionInfoUpdate,
  SessionNotification,
  SessionUpdate,
  ToolCallChanged,
  ToolCallStarted,
  UsageUpdate,
  UserMessageChunk,
} from "./protocol/update.ts";
