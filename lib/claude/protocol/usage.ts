/**
 * Schema of the answer to `get_usage`: the limits of the plan, and what the conversation has used.
 *
 * The CLI calls this answer experimental, so every field is optional.
 */
import {
  boolean,
  items,
  lenient,
  nullable,
  number,
  object,
  record,
  type Schema,
  type Static,
  string,
} from "../../schema/index.ts";

/** `utilization` is in percent, unlike that of a `rate_limit_event`; `resets_at` is ISO 8601. */
const limitWindow = object({
  utilization: lenient(nullable(number)),
  resets_at: lenient(nullable(string)),
});
export interface LimitWindow extends Static<typeof limitWindow> {}
export const LimitWindow: Schema<LimitWindow> = limitWindow;

const modelWindow = object({
  display_name: string,
  utilization: lenient(nullable(number)),
  resets_at: lenient(nullable(string)),
});

const planLimits = object({
  five_hour: lenient(nullable(LimitWindow)),
  seven_day: lenient(nullable(LimitWindow)),
  seven_day_opus: lenient(nullable(LimitWindow)),
  seven_day_sonnet: lenient(nullable(LimitWindow)),
  model_scoped: lenient(items(modelWindow)),
  extra_usage: lenient(nullable(object({ is_enabled: lenient(boolean), utilization: lenient(nullable(number)) }))),
});
export interface PlanLimits extends Static<typeof planLimits> {}
export const PlanLimits: Schema<PlanLimits> = planLimits;

const modelTokens = object({
  inputTokens: lenient(number),
  outputTokens: lenient(number),
  cacheReadInputTokens: lenient(number),
  cacheCreationInputTokens: lenient(number),
  costUSD: lenient(number),
});

const usageAnswer = object({
  session: lenient(object({ total_cost_usd: lenient(number), model_usage: lenient(record(modelTokens)) })),
  subscription_type: lenient(nullable(string)),
  /** False for an API key and other providers; `rate_limits` is then null. */
  rate_limits_available: lenient(boolean),
  rate_limits: lenient(nullable(PlanLimits)),
});
export interface UsageAnswer extends Static<typeof usageAnswer> {}
export const UsageAnswer: Schema<UsageAnswer> = usageAnswer;
