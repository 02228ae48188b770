/**
 * Tracks how much of the account's usage limits is used, and tells the user once when a
 * limit is used to 75, 90 and 100 percent.
 */
import type { SessionUpdate } from "../../../acp/index.ts";
import { type ClientView, notice } from "../../../display/index.ts";
import type { UsageLimit } from "../../../engine/index.ts";
import type { ConversationEvent, UsageAnswer } from "../../index.ts";

type RateLimitInfo = Extract<ConversationEvent, { readonly type: "rate_limit_event" }>["rate_limit_info"];

/** The limits that the CLI reports. Others are not shown, so their number stays small. */
const names = {
  five_hour: "5-hour limit",
  seven_day: "weekly limit",
  seven_day_opus: "weekly limit for Opus",
  seven_day_sonnet: "weekly limit for Sonnet",
  overage: "limit for extra usage",
} as const;

const thresholds = [100, 90, 75] as const;
/** The most limits of single models that are shown. */
const maxModels = 8;
const maxNameChars = 40;

export class LimitTracker {
  readonly #limits = new Map<string, UsageLimit>();
  /** The highest threshold that the user was told of, by limit and the time of its reset. */
  readonly #told = new Map<string, { readonly resetsAt: string | undefined; readonly percent: number }>();

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

  #takeOne(id: string, used: number | undefined, seconds: number | undefined, view: ClientView): SessionUpdate[] {
    if (!isKnown(id) || used === undefined) return [];
    const resetsAt = timeOf(seconds);
    const usedPercent = this.#set(id, names[id], used * 100, resetsAt);
    if (usedPercent === undefined) return [];
    const percent = thresholds.find((one) => usedPercent >= one);
    const before = this.#told.get(id);
    if (percent === undefined || (before?.resetsAt === resetsAt && before !== undefined && before.percent >= percent)) {
      return [];
    }
    this.#told.set(id, { resetsAt, percent });
    const reset = resetsAt === undefined ? "" : ` It resets at ${resetsAt}.`;
    const text = percent === 100 ? `The ${names[id]} is reached.` : `${usedPercent}% of the ${names[id]} is used.`;
    return [notice(view, "warning", `${text}${reset}`)];
  }

  /** Returns the percentage; undefined when it is none. */
  #set(id: string, name: string, percent: number | null | undefined, resetsAt: string | undefined): number | undefined {
    if (percent == null || !Number.isFinite(percent) || percent < 0) return undefined;
    const usedPercent = Math.round(percent);
    this.#limits.set(id, { id, name, usedPercent, ...(resetsAt !== undefined && { resetsAt }) });
    return usedPercent;
  }
}

function isKnown(id: string): id is keyof typeof names {
  return Object.hasOwn(names, id);
}

const maxSeconds = 8.64e12;

function timeOf(seconds: number | undefined): string | undefined {
  if (seconds === undefined || !(Math.abs(seconds) <= maxSeconds)) return undefined;
  return new Date(seconds * 1000).toISOString().replace(/\.\d+/, "");
}

function timeOfText(text: string | null | undefined): string | undefined {
  return timeOf(text == null ? undefined : Date.parse(text) / 1000);
}
