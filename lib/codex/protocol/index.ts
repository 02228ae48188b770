/**
 * The protocol of `codex app-server`: schemas of the messages it sends, types of the messages it receives.
 */
export {
  AccountRateLimits,
  AccountState,
  BackgroundTerminals,
  CodexConfig,
  CodexModel,
  Initialized,
  McpServerPage,
  McpSignIn,
  ModelPage,
  RateLimits,
  ReadConfig,
  SkillList,
} from "./host-data.ts";
export { CodexNotification, threadIdOf, type TurnCompleted, type Warning } from "./notification.ts";
export {
  type ApprovalAnswer,
  CommandApproval,
  type ElicitationResponse,
  ElicitationRequest,
  FileChangeApproval,
  InputQuestion,
  type PermissionsAnswer,
  PermissionsApproval,
  ServerRequest,
  type UserInputAnswer,
  UserInputRequest,
} from "./server-request.ts";
export {
  ApprovalPolicy,
  CollaborationMode,
  type KnownSandbox,
  OpenedThread,
  ReadThread,
  SandboxMode,
  SandboxPolicy,
  StartedTurn,
  Thread,
  ThreadPage,
  ThreadSettings,
  TurnPage,
} from "./thread.ts";
export {
  CollabAgentToolCallItem,
  CommandAction,
  CommandExecutionItem,
  DynamicToolCallItem,
  FileChangeItem,
  FileUpdateChange,
  ImageGenerationItem,
  ImageViewItem,
  McpToolCallItem,
  SleepItem,
  SubAgentActivityItem,
  ThreadItem,
  UserMessageItem,
  WebSearchItem,
} from "./thread-item.ts";
export { CodexErrorInfo, errorName, errorStatus, TokenUsage, CodexTurn, TurnError } from "./turn.ts";
export { type SentInput, UserInput } from "./user-input.ts";
export type { UnknownMessage, UnknownPart } from "../unknown.ts";
