/**
 * The translate room's door.
 */
export { fold, foldEnd } from "./fold.ts";
export { notice } from "./notices.ts";
export { askedToolCall, decisionOf, type Offer, offersFor, rejection, unanswered } from "./permission.ts";
export { type FileReference, maxAttachedChars, type PromptPart, readFileUri, readPrompt } from "./prompt.ts";
export { describeQuestion, readQuestions, type Question } from "./question.ts";
export { endOf, type FailureKind, failureOf, type TurnEnd } from "./stop.ts";
export { Thread } from "./thread.ts";
export { oneLine, shownPath, titleLine, type View } from "./view.ts";
export { visibleContent } from "./visible-content.ts";
