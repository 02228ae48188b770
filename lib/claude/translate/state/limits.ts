/**
 * Tracks how much of the account's usage limits is used, and tells the user once when a
 * limit is used to 75, 90 and 100 percent.
 */
import type { SessionUpdate } from "../../../acp/index.ts";
import { type ClientView, notice } from "../../../display/index.ts";
import type { RateLimitInfo } from "../../protocol/event.ts";

/** The limits that the CLI reports. Others are not shown, so their number stays small. */
const names = {
  five_hour: "5-hour limit",
  seven_day: "weekly limit",
  seven_day_opus: "weekly limit for Opus",
  seven_day_sonnet: "weekly limit for Sonnet",
  overage: "limit for extra usage",
} as const;

const thresholds = [100, 90, 75] as const;

export interface UsageLimit {
  readonly id: string;
  readonly name: string;
  readonly usedPercent: number;
  /** ISO 8601. */
  readonly resetsAt?: string;
}

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

  #takeOne(id: string, used: number | undefined, seconds: number | undefined, view: ClientView): SessionUpdate[] {
    if (!isKnown(id) || used === undefined || !Number.isFinite(used) || used < 0) return [];
    const resetsAt = timeOf(seconds);
    const usedPercent = Math.round(used * 100);
    this.#limits.set(id, { id, name: names[id], usedPercent, ...(resetsAt !== undefined && { resetsAt }) });
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
}

function isKnown(id: string): id is keyof typeof names {
  return Object.hasOwn(names, id);
}

const maxSeconds = 8.64e12;

function timeOf(seconds: number | undefined): string | undefined {
  if (seconds === undefined || !(Math.abs(seconds) <= maxSeconds)) return undefined;
  return new Date(seconds * 1000).toISOString().replace(/\.\d+/, "");
}
