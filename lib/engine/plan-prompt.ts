/**
 * The prompt with which an approved plan is carried out in a cleared conversation.
 */

export function planPrompt(plan: string): string {
  return `Implement the following plan:\n\n${plan.trim()}`;
}
