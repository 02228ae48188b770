/**
 * Notifies the user once when a limit of the account is used to 75, 90 and 100 percent, the
 * same for every engine.
 */
import type { SessionUpdate } from "../acp/index.ts";
import { type ClientView, dateWords, notice } from "../display/index.ts";
import type { UsageLimit } from "./controls.ts";

const thresholds = [100, 90, 75] as const;

export class LimitNotices {
  /** The highest threshold of which the user was notified, by limit and the time of its reset. */
  readonly #told = new Map<string, { readonly resetsAt: string | undefined; readonly percent: number }>();

  /** The notice about a limit; none when the user knows it. An engine names few limits, so few are kept. */
  of({ id, name, usedPercent, resetsAt }: UsageLimit, view: ClientView): readonly SessionUpdate[] {
    const percent = thresholds.find((one) => usedPercent >= one);
    const before = this.#told.get(id);
    if (percent === undefined || (before?.resetsAt === resetsAt && before !== undefined && before.percent >= percent)) {
      return [];
    }
    this.#told.set(id, { resetsAt, percent });
    const reset = resetsAt === undefined ? "" : ` It resets on ${dateWords(Date.parse(resetsAt))}.`;
    const text = percent === 100 ? `The ${name} is reached.` : `${usedPercent}% of the ${name} is used.`;
    return [notice(view, "warning", `${text}${reset}`)];
  }
}

const maxSeconds = 8.64e12;

/** The time of a reset in ISO 8601, from seconds since the epoch. */
export function resetTime(seconds: number | null | undefined): string | undefined {
  if (seconds == null || !(Math.abs(seconds) <= maxSeconds)) return undefined;
  return new Date(seconds * 1000).toISOString().replace(/\.\d+/, "");
}
