/**
 * Entry point of the engine module: everything other modules may import.
 */
export type {
  ClientWishes,
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
  Offers,
  PermissionChoice,
  PermissionQuestion,
  Prompt,
  SavedConversation,
  TurnEnd,
  TurnUsage,
  UserAnswers,
  UserQuestions,
} from "./engine.ts";
export { EngineFailure, type EngineFailureDetails, type EngineFailureKind } from "./engine-failure.ts";
export { addUsage, rounded } from "./turn-usage.ts";
