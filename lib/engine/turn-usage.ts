/**
 * Adds up what turns have used: a prompt may be answered by several turns or engines.
 */
import type { Cost, Usage } from "../acp/index.ts";
import type { TurnUsage } from "./engine.ts";

/** The sum of both; undefined when neither is known. */
export function addUsage(one: TurnUsage | undefined, other: TurnUsage | undefined): TurnUsage | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return { tokens: addTokens(one.tokens, other.tokens), cost: addCost(one.cost, other.cost) };
}

function addTokens(one: Usage | undefined, other: Usage | undefined): Usage | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return {
    totalTokens: one.totalTokens + other.totalTokens,
    inputTokens: one.inputTokens + other.inputTokens,
    outputTokens: one.outputTokens + other.outputTokens,
    thoughtTokens: addCounts(one.thoughtTokens, other.thoughtTokens),
    cachedReadTokens: addCounts(one.cachedReadTokens, other.cachedReadTokens),
    cachedWriteTokens: addCounts(one.cachedWriteTokens, other.cachedWriteTokens),
  };
}

function addCounts(one: number | null | undefined, other: number | null | undefined): number | undefined {
  return one == null && other == null ? undefined : (one ?? 0) + (other ?? 0);
}

/** Amounts of different currencies have no sum; the first is kept. */
function addCost(one: Cost | undefined, other: Cost | undefined): Cost | undefined {
  if (one === undefined || other === undefined || one.currency !== other.currency) return one ?? other;
  return { amount: rounded(one.amount + other.amount), currency: one.currency };
}

/** Without the noise of binary fractions: six digits, which is a millionth of a dollar. */
export function rounded(amount: number): number {
  return Math.round(amount * 1e6) / 1e6;
}
