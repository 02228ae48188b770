/**
 * The translation between Codex and ACP: everything the engine may import.
 */
export { fold, foldEnd, foldHistory } from "./fold.ts";
export {
  type CodexModeId,
  codexModes,
  configuredSandbox,
  isCodexMode,
  listedModes,
  type ModeBase,
  modeOf,
  modeOverrides,
  profileSandboxes,
} from "./modes.ts";
export { foldPrompt } from "./history-prompt.ts";
export { maxPromptChars, promptInput } from "./prompt.ts";
export type {
  CodexQuestion,
  AskedElicitation,
  AskedPermission,
  AskedUser,
  CodexDecision,
} from "./questions/codex-question.ts";
export { approvalQuestion } from "./questions/index.ts";
export { implementPlan, planQuestion } from "./questions/plan.ts";
export { type FileText, type ReversedPatches, reversePatches } from "./reverse-patches.ts";
export { mentionsSkill, withoutSkillMentions } from "./skill-mentions.ts";
export { CodexState } from "./state/codex-state.ts";
export { CodexLimits } from "./state/limits.ts";
export { earlyEndOf, turnEndOf } from "./turn-end.ts";
