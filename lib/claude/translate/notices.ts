/**
 * Builds the updates that show notices of the CLI and compactions to the user.
 */
import { type NoticeSeverity, type SessionUpdate, update } from "../../acp/index.ts";
import type { SystemApiRetry } from "../index.ts";
import type { ClientView } from "./client-view.ts";

/** A notice, or a message or thought with the same text for clients that do not show notices. */
export function notice(view: ClientView, severity: NoticeSeverity, title: string, description?: string): SessionUpdate {
  if (view.showsNotices) return update.notice(severity, title, description);
  const text = description === undefined ? title : `${title}: ${description}`;
  return severity === "info" ? update.agentThought(`${text}\n`) : update.agentMessage(`\n${text}\n\n`);
}

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

/** A compaction update, or a notice for clients that do not show compactions. */
export function compaction(
  view: ClientView,
  compactionId: string,
  status: "in_progress" | "completed" | "failed",
  error?: string,
): readonly SessionUpdate[] {
  if (view.showsCompaction) {
    return [update.compaction({ compactionId, status, ...(error !== undefined && { error }) })];
  }
  switch (status) {
    case "in_progress":
      return [notice(view, "info", "Compacting the conversation…")];
    case "completed":
      return [notice(view, "info", "The conversation was compacted.")];
    case "failed":
      return [notice(view, "warning", "The conversation could not be compacted", error)];
  }
}
