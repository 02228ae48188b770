/**
 * `/usage`: how much of the account's limits is used and when they reset, and what the
 * conversation has cost.
 */
import type { Cost } from "../../acp/index.ts";
import { limitWords } from "../../display/index.ts";
import type { ModelUsage, UsageReport } from "../../engine/index.ts";
import { markInvisible } from "../../schema/index.ts";
import type { LocalCommand } from "../session/local-commands.ts";

export interface UsageCommandOptions {
  readonly isOffered: () => boolean;
  readonly usage: () => Promise<UsageReport>;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

export function usageCommand({ isOffered, usage, now }: UsageCommandOptions): LocalCommand {
  return {
    name: "usage",
    description: "Show the limits of the plan with their resets, and the cost of this session",
    isOffered,
    run: async () => usageText(await usage(), now()),
  };
}

export function usageText({ plan, limits, cost, models }: UsageReport, nowMs: number): string {
  const title = plan === undefined ? "Limits of the account" : `Limits of the plan (${plan})`;
  const known =
    limits.length === 0
      ? ["- None are known. Accounts that pay by use, for example with an API key, have none."]
      : limits.map((limit) => `- ${limitWords(limit, nowMs)}`);
  const used = models.map((one) => `- ${one.model}: ${tokenWords(one)}${costWords(one.cost)}`);
  const total = cost === undefined ? [] : [`- Cost: ${money(cost)}, as the engine estimates it`];
  const session = [...total, ...used];
  return markInvisible(
    [
      `**${title}**\n\n${known.join("\n")}`,
      `**This session**\n\n${session.length === 0 ? "- Nothing was used yet." : session.join("\n")}`,
    ].join("\n\n"),
  );
}

function tokenWords({ inputTokens, outputTokens, cachedReadTokens, cachedWriteTokens }: ModelUsage): string {
  const parts = [
    `${count(inputTokens)} tokens in`,
    `${count(outputTokens)} out`,
    ...(cachedReadTokens > 0 ? [`${count(cachedReadTokens)} read from the cache`] : []),
    ...(cachedWriteTokens > 0 ? [`${count(cachedWriteTokens)} written to it`] : []),
  ];
  return parts.join(", ");
}

function costWords(cost: Cost | undefined): string {
  return cost === undefined ? "" : ` (${money(cost)})`;
}

/** Two digits, and four for less than a dollar. */
function money({ amount, currency }: Cost): string {
  const digits = amount.toFixed(amount > 0 && amount < 1 ? 4 : 2);
  return currency === "USD" ? `$${digits}` : `${digits} ${currency}`;
}

function count(tokens: number): string {
  return tokens.toLocaleString("en-US");
}
