/**
 * System events: what the CLI says about itself, as far as a person cares.
 *
 * A table by subtype. Modes, models and commands are the session's business;
 * they and whatever is not in the table pass by.
 */
import { type SessionUpdate, update } from "../../acp/index.ts";
import type { SystemEvent } from "../index.ts";
import { compaction, notice, remark, retryNotice } from "./notices.ts";
import type { TranslationState } from "./state/translation-state.ts";

type Updates = readonly SessionUpdate[];
type Subtype = SystemEvent["subtype"];
type SystemFold<S extends Subtype> = Extract<SystemEvent, { readonly subtype: S }>;
type Table = { readonly [S in Subtype]?: (state: TranslationState, event: SystemFold<S>) => Updates };

const nothing: Updates = [];

export function foldSystem(state: TranslationState, event: SystemEvent): Updates {
  const tell = Object.hasOwn(table, event.subtype) ? table[event.subtype] : undefined;
  // Each row takes the event of its own subtype, by which it was just found.
  return (tell as ((state: TranslationState, event: SystemEvent) => Updates) | undefined)?.(state, event) ?? nothing;
}

const table: Table = {
  status: (state, { status, uuid, compact_result, compact_error }) => {
    if (status === "compacting" && state.compactionId === undefined) {
      state.compactionId = uuid ?? "compaction";
      return compaction(state.view, state.compactionId, "in_progress");
    }
    if (compact_result !== "failed" || state.compactionId === undefined) return nothing;
    const id = state.compactionId;
    state.compactionId = undefined;
    return compaction(state.view, id, "failed", compact_error);
  },
  compact_boundary: (state, { uuid, compact_metadata }) => {
    const id = state.compactionId ?? uuid ?? "compaction";
    state.compactionId = undefined;
    const tokens = compact_metadata?.post_tokens;
    const usage = tokens === undefined ? undefined : state.usage.shrunk(tokens);
    return [...compaction(state.view, id, "completed"), ...(usage === undefined ? [] : [usage])];
  },
  session_title_changed: (_thread, { title }) => [update.sessionInfo({ title: title ?? null })],
  task_started: (state, { task_id, tool_use_id }) => {
    if (tool_use_id !== undefined) state.tasks.set(task_id, tool_use_id);
    return nothing;
  },
  task_notification: (state, { task_id, tool_use_id, status, summary }) => {
    const id = tool_use_id ?? state.tasks.get(task_id);
    state.tasks.delete(task_id);
    return id === undefined ? nothing : state.calls.taskEnded(id, status === "completed", summary);
  },
  // The agent ends the turn when credentials fail; a notice about retries would mislead.
  api_retry: ({ view }, event) => (event.error === "authentication_failed" ? nothing : [retryNotice(view, event)]),
  model_fallback: modelChange,
  model_refusal_fallback: modelChange,
  model_refusal_no_fallback: modelChange,
  informational: ({ view }, { content, level }) => {
    const severity = level === "error" || level === "warning" ? level : "info";
    return content.trim() === "" ? nothing : [remark(view, severity, content)];
  },
  notification: ({ view }, { text, priority }) => {
    const severity = priority === "immediate" || priority === "high" ? "warning" : "info";
    return text.trim() === "" ? nothing : [remark(view, severity, text)];
  },
  local_command_output: (_thread, { content, uuid }) =>
    content.trim() === "" ? nothing : [update.agentMessage(`${content.trim()}\n`, uuid)],
  session_writes_lost: ({ view }) => [notice(view, "warning", "Part of this conversation could not be saved to disk.")],
};

function modelChange({ view }: TranslationState, { content }: { readonly content?: string | undefined }): Updates {
  return content === undefined || content === "" ? nothing : [remark(view, "warning", content)];
}
