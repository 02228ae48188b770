/**
 * `CodexQuestion`: a request of Codex as a question to the user, and for each answer of the user
 * the result that Codex gets.
 *
 * Each answer carries a complete result, so Codex gets only results that were offered. Some
 * requests have no item; their tool call begins with the updates in `announced`, sent before the
 * question, and ends with those of `settled`, sent after it.
 */
import {
  type PermissionOption,
  permissionOption,
  type SessionUpdate,
  type ToolCallUpdate,
} from "../../../acp/index.ts";
import { oneLine } from "../../../display/index.ts";
import type {
  ElicitationAnswer,
  ElicitationQuestion,
  PermissionChoice,
  PermissionQuestion,
  RejectedScope,
  UserAnswers,
  UserQuestions,
} from "../../../engine/index.ts";
import { markInvisible } from "../../../schema/index.ts";
import type { ApprovalAnswer, ElicitationResponse, PermissionsAnswer, UserInputAnswer } from "../../protocol/index.ts";

/** The answer for Codex, and whether it allows the call. */
export interface CodexDecision {
  readonly result: ApprovalAnswer | PermissionsAnswer | ElicitationResponse;
  readonly isAllowed: boolean;
  /** What the user said to a rejection. Codex's answers carry no text, so the model gets this text in a separate message. */
  readonly reason?: string;
}

export interface AskedPermission {
  readonly kind: "permission";
  readonly announced: readonly SessionUpdate[];
  readonly question: PermissionQuestion<CodexDecision>;
  readonly settled: (decision: CodexDecision) => readonly SessionUpdate[];
}

export interface AskedUser {
  readonly kind: "user";
  readonly announced: readonly SessionUpdate[];
  readonly questions: UserQuestions;
  readonly answerOf: (answers: UserAnswers) => UserInputAnswer;
  readonly settled: (answers: UserAnswers) => readonly SessionUpdate[];
}

export interface AskedElicitation {
  readonly kind: "elicitation";
  readonly question: ElicitationQuestion;
  readonly answerOf: (answer: ElicitationAnswer) => ElicitationResponse;
}

/** `unknown`: a request that this version cannot answer. */
export type CodexQuestion = AskedPermission | AskedUser | AskedElicitation | { readonly kind: "unknown" };

type ApprovalResult = CodexDecision["result"];

/** The answer for Codex when the call is not allowed, and what can be rejected for the rest of the session. */
export interface Refusals {
  readonly rejected: ApprovalResult;
  readonly unanswered: ApprovalResult;
  readonly never?: RejectedScope | undefined;
}

export function permissionQuestion(
  toolCall: ToolCallUpdate,
  allowing: readonly PermissionChoice<CodexDecision>[],
  { rejected, unanswered, never }: Refusals,
): PermissionQuestion<CodexDecision> {
  const rejection: CodexDecision = { result: rejected, isAllowed: false };
  const reject: PermissionChoice<CodexDecision> = {
    option: permissionOption("reject_once", "reject", "Reject"),
    decision: rejection,
    withReason: (reason) => ({ ...rejection, reason }),
  };
  return {
    toolCall,
    choices: [...allowing, reject],
    rejected: rejection,
    unanswered: { result: unanswered, isAllowed: false },
    never: never && { ...never, decision: rejection },
  };
}

export function allowing(
  kind: Extract<PermissionOption["kind"], "allow_once" | "allow_always">,
  name: string,
  result: ApprovalResult,
): PermissionChoice<CodexDecision> {
  const optionId = kind === "allow_once" ? "allow" : "allow_always";
  return { option: permissionOption(kind, optionId, name), decision: { result, isAllowed: true } };
}

/** The choice to allow something for the session; none when the label would hide a part of what it allows. */
export function allowingAlways(what: string, result: ApprovalResult): readonly PermissionChoice<CodexDecision>[] {
  const label = `Always allow ${markInvisible(what)} in this session`;
  return label === oneLine(label) ? [allowing("allow_always", label, result)] : [];
}
