/**
 * Entry point of the translate module: everything other modules may import.
 */
export { fold, foldEnd, foldRewind } from "./fold.ts";
export {
  askedToolCall,
  clearedPlan,
  lastingRejection,
  permissionChoices,
  rejectedScope,
  rejection,
  unanswered,
} from "./to-claude/permission.ts";
export { promptFrame, type PromptPart, promptRefusal, readPrompt } from "./to-claude/prompt.ts";
export { readQuestions } from "./to-claude/user-questions.ts";
export { turnEndOf, type FailureKind, failureOf, type ClaudeTurnEnd } from "./turn-end.ts";
export { LimitTracker } from "./state/limits.ts";
export { TranslationState } from "./state/translation-state.ts";
