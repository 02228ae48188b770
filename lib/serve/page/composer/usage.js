/**
 * Shows how much of the context window and of the account's limits is used, and the cost.
 */
import { byId, h } from "../dom.js";

/** @typedef {{ id: string, name: string, usedPercent: number, resetsAt?: string | null }} Limit */
/** @typedef {{ used: number, size: number, cost?: { amount: number, currency: string } | null, _meta?: { limits?: Limit[] } | null }} Usage */

/** A limit that is used this much is shown as a warning. */
const warnPercent = 75;
const dayMs = 24 * 60 * 60 * 1000;

/** @param {Usage | null | undefined} usage */
export function showUsage(usage) {
  const limits = Array.isArray(usage?._meta?.limits) ? usage._meta.limits : [];
  const meters = limits.filter(({ usedPercent }) => Number.isFinite(usedPercent)).map(limitMeter);
  byId("usage").replaceChildren(usageText(usage), ...meters);
}

/** Such as "12% of 200k tokens · $0.42". @param {Usage | null | undefined} usage */
function usageText(usage) {
  if (!usage) return "";
  const { used, size, cost } = usage;
  const part =
    size > 0 ? `${Math.round((used / size) * 100)}% of ${thousands(size)} tokens` : `${thousands(used)} tokens`;
  if (!cost) return part;
  const money = cost.currency === "USD" ? `$${cost.amount.toFixed(2)}` : `${cost.amount.toFixed(2)} ${cost.currency}`;
  return `${part} · ${money}`;
}

/** @param {number} count */
function thousands(count) {
  if (count >= 999_500) return `${Number((count / 1_000_000).toFixed(1))}M`;
  return count < 1000 ? String(count) : `${Math.round(count / 1000)}k`;
}

/** Such as "5-hour limit 76%, resets 10:00". @param {Limit} limit */
function limitMeter({ name, usedPercent, resetsAt }) {
  const percent = Math.round(usedPercent);
  const words = `${name} ${percent}%${resetText(resetsAt)}`;
  const meter = h("meter", { min: 0, max: 100, low: warnPercent, high: 90, optimum: 0, value: usedPercent });
  meter.setAttribute("aria-label", words);
  return h("span", { class: `limit${percent >= warnPercent ? " high" : ""}` }, meter, words);
}

/** @param {string | null | undefined} at */
function resetText(at) {
  const date = new Date(at ?? NaN);
  if (Number.isNaN(date.getTime())) return "";
  const isSoon = date.getTime() - Date.now() < dayMs;
  const text = isSoon
    ? date.toLocaleTimeString(undefined, { hour: "2-digit", minute: "2-digit" })
    : date.toLocaleDateString(undefined, { weekday: "short", day: "numeric", month: "short" });
  return `, resets ${text}`;
}
