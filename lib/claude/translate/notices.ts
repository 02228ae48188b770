/**
 * Builds notices from what the CLI reports: its own warnings, and retries of the API.
 */
import type { NoticeSeverity, SessionUpdate } from "../../acp/index.ts";
import { type ClientView, notice } from "../../display/index.ts";
import type { SystemApiRetry } from "../index.ts";

/** A notice with text that the CLI wrote: the first sentence becomes the title. */
export function cliNotice(view: ClientView, severity: NoticeSeverity, text: string): SessionUpdate {
  const [, title, rest] = /^([\s\S]*?[.!?])\s+([\s\S]+)$/.exec(text) ?? [];
  if (!view.showsNotices || title === undefined) return notice(view, severity, text);
  return notice(view, severity, title, rest);
}

const reasons: ReadonlyMap<string, string> = new Map([
  ["authentication_failed", "The API does not accept the credentials"],
  ["rate_limit", "The API's rate limit is reached"],
  ["overloaded", "The API is overloaded"],
  ["server_error", "The API failed"],
]);

export function retryNotice(view: ClientView, retry: SystemApiRetry): SessionUpdate {
  const reason = reasons.get(retry.error ?? "") ?? "The API did not answer";
  const seconds = Math.max(1, Math.round((retry.retry_delay_ms ?? 0) / 1000));
  const attempt = retry.attempt === undefined ? "" : ` (attempt ${retry.attempt} of ${retry.max_retries ?? "?"})`;
  return notice(view, "info", `${reason}, trying again in ${seconds} s${attempt}.`);
}
