/**
 * `bowline/agent`: the whole agent inside another Node program, on any link.
 *
 * `createAgent` uses this machine's CLI, files and clock unless its options replace them.
 * `Engine` is what an engine of your own implements.
 */
export { type Agent, type AgentOptions, type AgentSettings, createAgent, type Route } from "../agent/index.ts";
export { emptyStore, type Launcher, type LaunchRequest, type SessionStore } from "../claude/engine/index.ts";
export {
  type Conversation,
  type ConversationHost,
  type ConversationPage,
  type ConversationRequest,
  type ConversationStart,
  type ConversationStore,
  type Engine,
  type EngineCapabilities,
  type EngineEvent,
  EngineFailure,
  type EngineFailureKind,
  type SettingsState,
  type PermissionChoice,
  type PermissionQuestion,
  type Prompt,
  type SavedConversation,
  type TurnEnd,
  type UserAnswers,
  type UserQuestions,
} from "../engine/index.ts";
