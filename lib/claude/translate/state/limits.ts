/**
 * Tracks how much of the account's usage limits is used, and tells the user once when a
 * limit is used to 75, 90 and 100 percent.
 */
import type { SessionUpdate } from "../../../acp/index.ts";
import type { ClientView } from "../../../display/index.ts";
import { LimitNotices, resetTime, type UsageLimit } from "../../../engine/index.ts";
import type { RateLimitInfo, UsageAnswer } from "../../index.ts";

/** The limits that the CLI reports. Others are not shown, so their number stays small. */
const names = {
  five_hour: "5-hour limit",
  seven_day: "weekly limit",
  seven_day_opus: "weekly limit for Opus",
  seven_day_sonnet: "weekly limit for Sonnet",
  overage: "limit for extra usage",
} as const;

/** The most limits of single models that are shown. */
const maxModels = 8;
const maxNameChars = 40;

export class LimitTracker {
  readonly #limits = new Map<string, UsageLimit>();
  readonly #notices = new LimitNotices();

  /** What is known of the limits now. */
  get all(): readonly UsageLimit[] {
    return [...this.#limits.values()];
  }

  take(info: RateLimitInfo, view: ClientView): readonly SessionUpdate[] {
    const { rateLimitType, status, utilization, resetsAt, unifiedWindows = {} } = info;
    const named = rateLimitType === undefined ? [] : [[rateLimitType, { utilization, resetsAt }] as const];
    return [...Object.entries(unifiedWindows), ...named].flatMap(([id, window]) => {
      const isReached = id === rateLimitType && status === "rejected";
      return this.#takeOne(id, isReached ? 1 : window.utilization, window.resetsAt, view);
    });
  }

  /** Takes over the limits of an answer to `get_usage`, without telling the user. */
  takeAnswer({ rate_limits: limits }: UsageAnswer): void {
    if (limits == null) return;
    const { five_hour, seven_day, seven_day_opus, seven_day_sonnet, model_scoped = [], extra_usage } = limits;
    const windows = { five_hour, seven_day, seven_day_opus, seven_day_sonnet };
    for (const [id, window] of Object.entries(windows)) {
      if (isKnown(id)) this.#set(id, names[id], window?.utilization, timeOfText(window?.resets_at));
    }
    for (const { display_name, utilization, resets_at } of model_scoped.slice(0, maxModels)) {
      const name = display_name.replaceAll(/\s+/g, " ").trim().slice(0, maxNameChars);
      this.#set(`seven_day_model:${name}`, `weekly limit for ${name}`, utilization, timeOfText(resets_at));
    }
    if (extra_usage?.is_enabled === true) this.#set("overage", names.overage, extra_usage.utilization, undefined);
  }

  #takeOne(
    id: string,
    used: number | undefined,
    seconds: number | undefined,
    view: ClientView,
  ): readonly SessionUpdate[] {
    if (!isKnown(id) || used === undefined) return [];
    const limit = this.#set(id, names[id], used * 100, resetTime(seconds));
    return limit === undefined ? [] : this.#notices.of(limit, view);
  }

  /** Undefined when the percentage is none. */
  #set(
    id: string,
    name: string,
    percent: number | null | undefined,
    resetsAt: string | undefined,
  ): UsageLimit | undefined {
    if (percent == null || !Number.isFinite(percent) || percent < 0) return undefined;
    const limit = { id, name, usedPercent: Math.round(percent), ...(resetsAt !== undefined && { resetsAt }) };
    this.#limits.set(id, limit);
    return limit;
  }
}

function isKnown(id: string): id is keyof typeof names {
  return Object.hasOwn(names, id);
}

function timeOfText(text: string | null | undefined): string | undefined {
  return resetTime(text == null ? undefined : Date.parse(text) / 1000);
}
