/**
 * The line after a turn: stop reason, duration, context usage and cost.
 */
import type { PromptResponse, UsageUpdate } from "../../../acp/index.ts";
import { duration } from "./conversation-renderer.ts";
import { sanitizeLine } from "./sanitize.ts";

export function turnSummary(
  response: PromptResponse | undefined,
  tookMs: number,
  { used, size, cost }: Partial<UsageUpdate>,
): string {
  const parts = [
    response === undefined || response.stopReason === "end_turn" ? "" : response.stopReason.replaceAll("_", " "),
    duration(tookMs),
    used === undefined || size === undefined ? "" : `${amount(used)} of ${amount(size)} tokens`,
    cost == null
      ? ""
      : sanitizeLine(cost.currency === "USD" ? `$${cost.amount.toFixed(2)}` : `${cost.amount} ${cost.currency}`),
  ];
  return parts.filter((part) => part !== "").join(" · ");
}

/** Formats a count: 950, 17.7k, 1M. */
function amount(count: number): string {
  const scaled = (unit: number, sign: string): string => `${Number((count / unit).toPrecision(3))}${sign}`;
  return count >= 1_000_000 ? scaled(1_000_000, "M") : count >= 1000 ? scaled(1000, "k") : String(count);
}
