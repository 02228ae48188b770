/**
 * Entry point of the engine module: everything other modules may import.
 */
export type {
  RequestedOptions,
  Conversation,
  ConversationHost,
  ConversationPage,
  ConversationRequest,
  ConversationStart,
  ConversationStore,
  ElicitationAnswer,
  ElicitationQuestion,
  Engine,
  EngineCapabilities,
  EngineEvent,
  ForkPoint,
  FreshStart,
  SettingsState,
  PermissionChoice,
  PermissionQuestion,
  Prompt,
  RejectedScope,
  SavedConversation,
  TurnEnd,
  TurnUsage,
  UserAnswers,
  UserQuestions,
} from "./engine.ts";
export type {
  BackgroundTask,
  ConversationControls,
  McpControl,
  McpServerState,
  ModelUsage,
  TaskControl,
  UsageLimit,
  UsageReport,
} from "./controls.ts";
export type { FileChanges, Rewinder, SentPrompt } from "./rewind.ts";
export { LimitNotices, resetTime } from "./limit-notices.ts";
export { clearedPlanLabel, planPrompt } from "./cleared-plan.ts";
export { EngineFailure, type EngineFailureKind } from "./engine-failure.ts";
export { addUsage, rounded } from "./turn-usage.ts";
