/**
 * Asks the CLI how much of the account's limits is used, and what a conversation has used.
 */
import { type ModelUsage, rounded, type UsageReport } from "../../engine/index.ts";
import { realTimer } from "../../wire/index.ts";
import { ClaudeConnection, type OutgoingControlRequests, type UsageAnswer } from "../index.ts";
import { LimitTracker } from "../translate/index.ts";
import type { Launcher } from "./run/launcher.ts";

/** The CLI asks the API for the limits, which answers within a second or not at all. */
const answerLimitMs = 15_000;
/** The most models of a conversation that are reported. */
const maxModels = 20;

export function askUsage(control: OutgoingControlRequests): Promise<UsageAnswer> {
  return control.request("get_usage", { skip_behaviors: true }, { limitMs: answerLimitMs });
}

/**
 * Asks a CLI that is started for this question alone: without the user's settings, hooks and
 * MCP servers, and without a saved conversation. Rejects when it does not answer in time.
 */
export async function accountUsage(launcher: Launcher, cwd: string, limitMs: number): Promise<UsageReport> {
  const launch = { settingSources: [], strictMcpConfig: true, noSessionPersistence: true };
  const { link, ready } = launcher({ sessionId: "", cwd, launch, mcpServers: {} });
  const claude = new ClaudeConnection(link, { after: realTimer, onEvent: () => {} });
  const limit = AbortSignal.timeout(limitMs);
  try {
    await claude.control.request("initialize", {}, { signal: limit });
    const answer = await claude.control.request("get_usage", { skip_behaviors: true }, { signal: limit });
    const limits = new LimitTracker();
    limits.takeAnswer(answer);
    return usageReport(answer, limits.all);
  } finally {
    ready();
    await claude.stop("it has answered");
  }
}

export function usageReport({ subscription_type, session }: UsageAnswer, limits: UsageReport["limits"]): UsageReport {
  const models = Object.entries(session?.model_usage ?? {}).slice(0, maxModels);
  const total = session?.total_cost_usd;
  return {
    ...(subscription_type != null && { plan: subscription_type }),
    limits,
    ...(total !== undefined && { cost: dollars(total) }),
    models: models.map(([model, tokens]): ModelUsage => ({
      model,
      inputTokens: tokens.inputTokens ?? 0,
      outputTokens: tokens.outputTokens ?? 0,
      cachedReadTokens: tokens.cacheReadInputTokens ?? 0,
      cachedWriteTokens: tokens.cacheCreationInputTokens ?? 0,
      ...(tokens.costUSD !== undefined && { cost: dollars(tokens.costUSD) }),
    })),
  };
}

function dollars(amount: number): { readonly amount: number; readonly currency: "USD" } {
  return { amount: rounded(amount), currency: "USD" };
}
