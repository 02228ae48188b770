/**
 * System events: what the CLI says about itself, as far as a person cares.
 *
 * Modes, models and commands are the session's business and pass by here.
 */
import { type SessionUpdate, update } from "../acp/index.ts";
import type { SystemEvent, SystemStatus } from "../claude/index.ts";
import { compaction, notice, retryNotice } from "./notices.ts";
import type { Thread } from "./thread.ts";

const nothing: readonly SessionUpdate[] = [];

export function foldSystem(thread: Thread, event: SystemEvent): readonly SessionUpdate[] {
  const { view } = thread;
  switch (event.subtype) {
    case "status":
      return foldStatus(thread, event);
    case "compact_boundary": {
      const id = thread.compactionId ?? event.uuid ?? "compaction";
      thread.compactionId = undefined;
      const tokens = event.compact_metadata?.post_tokens;
      const usage = tokens === undefined ? undefined : thread.usage.shrunk(tokens);
      return [...compaction(view, id, "completed"), ...(usage === undefined ? [] : [usage])];
    }
    case "session_title_changed":
      return [update.sessionInfo({ title: event.title ?? null })];
    case "task_started":
      if (event.tool_use_id !== undefined) thread.tasks.set(event.task_id, event.tool_use_id);
      return nothing;
    case "task_notification": {
      const id = event.tool_use_id ?? thread.tasks.get(event.task_id);
      thread.tasks.delete(event.task_id);
      return id === undefined ? nothing : thread.calls.taskEnded(id, event.status === "completed", event.summary);
    }
    case "api_retry":
      // The agent ends the turn on this one; a notice about retries would mislead.
      return event.error === "authentication_failed" ? nothing : [retryNotice(view, event)];
    case "model_fallback":
    case "model_refusal_fallback":
    case "model_refusal_no_fallback":
      return event.content === undefined || event.content === "" ? nothing : [notice(view, "warning", event.content)];
    case "informational":
      return event.content.trim() === "" ? nothing : [notice(view, severityOf(event.level), event.content)];
    case "notification":
      return event.text.trim() === ""
        ? nothing
        : [notice(view, event.priority === "immediate" || event.priority === "high" ? "warning" : "info", event.text)];
    case "local_command_output":
      return event.content.trim() === "" ? nothing : [update.agentMessage(`${event.content.trim()}\n`, event.uuid)];
    case "session_writes_lost":
      return [notice(view, "warning", "Part of this conversation could not be saved to disk.")];
    case "task_updated":
    case "task_progress":
    case "background_tasks_changed":
    case "init":
    case "session_state_changed":
    case "commands_changed":
    case "permission_denied":
    case "hook_started":
    case "hook_progress":
    case "hook_response":
    case "thinking_tokens":
    case "control_request_progress":
      return nothing;
    default:
      // Remarks known by name only.
      return nothing;
  }
}

function foldStatus(thread: Thread, event: SystemStatus): readonly SessionUpdate[] {
  const { view } = thread;
  if (event.status === "compacting" && thread.compactionId === undefined) {
    thread.compactionId = event.uuid ?? "compaction";
    return compaction(view, thread.compactionId, "in_progress");
  }
  if (event.compact_result !== "failed" || thread.compactionId === undefined) return nothing;
  const id = thread.compactionId;
  thread.compactionId = undefined;
  return compaction(view, id, "failed", event.compact_error);
}

function severityOf(level: string | undefined): "info" | "warning" | "error" {
  return level === "error" || level === "warning" ? level : "info";
}
