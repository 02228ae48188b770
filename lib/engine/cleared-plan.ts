/**
 * An approved plan that is carried out in a cleared conversation: the answer that approves
 * it, and its prompt.
 */

export const clearedPlanLabel = "Yes, and clear the conversation and accept edits without asking";

export function planPrompt(plan: string): string {
  return `Implement the following plan:\n\n${plan.trim()}`;
}
