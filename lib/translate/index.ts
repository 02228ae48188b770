/**
 * The translate room's door.
 */
export { fold, foldEnd } from "./fold.ts";
export { notice } from "./notices.ts";
export {
  askedToolCall,
  decisionOf,
  type PermissionChoice,
  permissionChoices,
  rejection,
  unanswered,
} from "./permission.ts";
export { type FileReference, maxAttachedChars, type PromptPart, readFileUri, readPrompt } from "./prompt.ts";
export { describeQuestion, readQuestions, type UserQuestion } from "./question.ts";
export { turnEndOf, type FailureKind, failureOf, type TurnEnd } from "./stop.ts";
export { TranslationState } from "./thread.ts";
export { oneLine, shownPath, titleLine, type ClientView } from "./view.ts";
export { visibleContent } from "./visible-content.ts";
