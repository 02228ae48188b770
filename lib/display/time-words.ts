/**
 * Durations and times as people read them: "2 h 5 min", "14:00", "Fri 20 Nov, 09:00 UTC".
 */

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** The two largest units; seconds only below a minute. */
export function durationWords(ms: number): string {
  if (ms < minuteMs) return `${Math.max(0, Math.round(ms / 1000))} s`;
  const minutes = Math.round(ms / minuteMs);
  const [days, hours, rest] = [Math.floor(minutes / 1440), Math.floor(minutes / 60) % 24, minutes % 60];
  if (days > 0) return `${days} ${days === 1 ? "day" : "days"}${hours === 0 ? "" : ` ${hours} h`}`;
  if (hours > 0) return `${hours} h${rest === 0 ? "" : ` ${rest} min`}`;
  return `${rest} min`;
}

/** A time in the time zone of this machine: the hour within a day from now, with the date beyond that. */
export function timeWords(atMs: number, nowMs: number): string {
  const at = new Date(atMs);
  const hour = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" }).format(at);
  if (Math.abs(atMs - nowMs) < dayMs) return hour;
  return `${dayWords(at)}, ${hour}`;
}

/** The day, the hour and the time zone of this machine: for texts that are read later or elsewhere. */
export function dateWords(atMs: number): string {
  const at = new Date(atMs);
  if (Number.isNaN(at.getTime())) return "an unknown day";
  const hour = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", timeZoneName: "short" });
  return `${dayWords(at)}, ${hour.format(at)}`;
}

function dayWords(at: Date): string {
  const day = new Intl.DateTimeFormat("en-GB", { weekday: "short", day: "numeric", month: "short" });
  return day.format(at).replace(",", "");
}
