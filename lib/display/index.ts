/**
 * Entry point of the display module: everything other modules may import.
 */
export { absolutePath, oneLine, shownPath, titleLine, type ClientView, type Updates } from "./client-view.ts";
export {
  attachedName,
  attachedText,
  type FileReference,
  maxAttachedChars,
  readFileUri,
  savedBlocks,
} from "./file-reference.ts";
export { fileUri, normalizedPath, pathBelow, pathKey, withoutLongPrefix } from "./path-forms.ts";
export { limitWords } from "./limit-words.ts";
export { hasMention, unmentioned } from "./mentions.ts";
export { compaction, notice } from "./notices.ts";
export { asSwitch, onOffOption } from "./on-off-option.ts";
export { maxTailChars, outputTail, withoutMiddle } from "./output-tail.ts";
export { type Program, type TerminalSignIn, terminalSignIn } from "./sign-in-method.ts";
export { languageOf, syntaxParts } from "./syntax.ts";
export { dateWords, durationWords, timeWords } from "./time-words.ts";
export { inputText, unshownInput } from "./unshown-input.ts";
export { askedContent, fenced, visibleContent } from "./visible-content.ts";
export { describeQuestion, type UserQuestion } from "./user-question.ts";
