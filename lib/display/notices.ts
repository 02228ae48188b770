/**
 * Builds the updates that show notices and compactions to the user, in the form that the
 * client supports.
 */
import { type NoticeSeverity, type SessionUpdate, update } from "../acp/index.ts";
import type { ClientView } from "./client-view.ts";

/** A notice, or a message or thought with the same text for clients that do not show notices. */
export function notice(
  view: Pick<ClientView, "showsNotices">,
  severity: NoticeSeverity,
  title: string,
  description?: string,
): SessionUpdate {
  if (view.showsNotices) return update.notice(severity, title, description);
  const text = description === undefined ? title : `${title}: ${description}`;
  return severity === "info" ? update.agentThought(`${text}\n`) : update.agentMessage(`\n${text}\n\n`);
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
