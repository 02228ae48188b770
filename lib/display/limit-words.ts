/**
 * A limit of the account as people read it.
 */
import { durationWords, timeWords } from "./time-words.ts";

export interface ShownLimit {
  readonly name: string;
  readonly usedPercent: number;
  /** ISO 8601. */
  readonly resetsAt?: string | undefined;
}

/** One limit in words, for example "5-hour limit: 76% used, resets at 14:00 (in 2 h 5 min)". */
export function limitWords({ name, usedPercent, resetsAt }: ShownLimit, nowMs: number): string {
  const used = `${name}: ${usedPercent}% used`;
  const atMs = resetsAt === undefined ? Number.NaN : Date.parse(resetsAt);
  if (Number.isNaN(atMs)) return used;
  if (atMs <= nowMs) return `${used} before it was reset at ${timeWords(atMs, nowMs)}`;
  return `${used}, resets at ${timeWords(atMs, nowMs)} (in ${durationWords(atMs - nowMs)})`;
}
