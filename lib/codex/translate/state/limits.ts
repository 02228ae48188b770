/**
 * Tracks how much of the account's limits is used, as Codex reports it after each answer of
 * the API and when it is asked.
 *
 * Codex sends only what it has learned: a window that is missing stays as it was.
 */
import type { SessionUpdate } from "../../../acp/index.ts";
import type { ClientView } from "../../../display/index.ts";
import { LimitNotices, resetTime, type UsageLimit } from "../../../engine/index.ts";
import type { RateLimits } from "../../protocol/index.ts";

/** The most limits that are shown. An account has two, and further ones for single models. */
const maxLimits = 16;
const maxNameChars = 40;

export class CodexLimits {
  readonly #limits = new Map<string, UsageLimit>();
  readonly #notices = new LimitNotices();
  /** The name of the plan, once it is known. */
  plan: string | undefined;

  /** What is known of the limits now. */
  get all(): readonly UsageLimit[] {
    return [...this.#limits.values()];
  }

  take({ limitId, limitName, primary, secondary, planType, rateLimitReachedType }: RateLimits): void {
    this.plan = planType ?? this.plan;
    const prefix = limitId == null || limitId === "codex" ? "" : `${limitId}_`;
    const of = prefix === "" ? "" : ` for ${shortName(limitName ?? limitId ?? "")}`;
    const windows = { primary, secondary };
    const fullest = Math.max(primary?.usedPercent ?? 0, secondary?.usedPercent ?? 0);
    for (const [window, values] of Object.entries(windows)) {
      const given = values?.usedPercent;
      const id = `${prefix}${window}`;
      if (given == null || !Number.isFinite(given) || given < 0) continue;
      if (this.#limits.size >= maxLimits && !this.#limits.has(id)) continue;
      // Codex does not say which limit is reached: the one with the highest usage is named.
      const isReached = rateLimitReachedType === "rate_limit_reached" && given === fullest;
      const usedPercent = isReached ? 100 : Math.round(given);
      const resetsAt = resetTime(values?.resetsAt);
      const name = `${windowName(values?.windowDurationMins)}${of}`;
      this.#limits.set(id, { id, name, usedPercent, ...(resetsAt !== undefined && { resetsAt }) });
    }
  }

  /** Notices that the user has not seen yet. */
  notices(view: ClientView): readonly SessionUpdate[] {
    return this.all.flatMap((limit) => this.#notices.of(limit, view));
  }
}

function shortName(name: string): string {
  return name.replaceAll(/\s+/g, " ").trim().slice(0, maxNameChars);
}

const hourMins = 60;
const dayMins = 24 * hourMins;
const weekMins = 7 * dayMins;

/** "5-hour limit", "weekly limit". */
function windowName(minutes: number | null | undefined): string {
  if (minutes == null || !(minutes > 0)) return "usage limit";
  if (minutes === weekMins) return "weekly limit";
  if (minutes % dayMins === 0) return `${minutes / dayMins}-day limit`;
  return minutes % hourMins === 0 ? `${minutes / hourMins}-hour limit` : `${Math.round(minutes)}-minute limit`;
}
