/**
 * Asks whether to carry out the plan that the model proposed in plan mode.
 *
 * Codex ends the turn with the plan and asks nothing, so the host asks, changes the mode and
 * sends `implementPlan` as the next prompt.
 */
import { permissionOption, type SessionUpdate } from "../../../acp/index.ts";
import { clearedPlanLabel, type PermissionQuestion } from "../../../engine/index.ts";
import type { CallView } from "../calls/call-view.ts";
import type { CodexModeId } from "../modes.ts";
import type { CodexState } from "../state/codex-state.ts";

export const implementPlan = "Implement the plan.";

/** How the plan is carried out; undefined to keep planning. */
export type PlanDecision =
  | {
      readonly mode: Extract<CodexModeId, "acceptEdits" | "default">;
      /** The plan, for a cleared conversation that does not have it. */
      readonly freshPlan?: string;
    }
  | undefined;

export interface AskedPlan {
  readonly announced: readonly SessionUpdate[];
  readonly question: PermissionQuestion<PlanDecision>;
  readonly settled: (decision: PlanDecision) => readonly SessionUpdate[];
}

/** Undefined when the model proposed no plan in the last turn. The text of the plan is already shown. */
export function planQuestion(state: CodexState): AskedPlan | undefined {
  const plan = state.proposedPlan;
  if (plan === undefined) return undefined;
  state.proposedPlan = undefined;
  const id = `plan-${state.nextQuestion()}`;
  const view: CallView = { name: "plan", kind: "switch_mode", title: "Go on with this plan?", isPending: true };
  const announced = state.calls.begin(id, view, { threadId: state.threadId });
  return {
    announced,
    question: {
      toolCall: { toolCallId: id, title: view.title, kind: view.kind, status: "pending" },
      choices: [
        {
          option: permissionOption("allow_always", "accept_edits", "Yes, and accept edits without asking"),
          decision: { mode: "acceptEdits" },
        },
        {
          option: permissionOption("allow_once", "ask_each", "Yes, and ask before each edit"),
          decision: { mode: "default" },
        },
        {
          option: permissionOption("allow_always", "clear_context", clearedPlanLabel),
          decision: { mode: "acceptEdits", freshPlan: plan },
        },
        { option: permissionOption("reject_once", "keep_planning", "No, keep planning"), decision: undefined },
      ],
      rejected: undefined,
      unanswered: undefined,
    },
    settled: (decision) =>
      state.calls.end(id, {
        status: decision === undefined ? "failed" : "completed",
        title: decision === undefined ? "Plan not approved" : "Plan approved",
      }),
  };
}
