/**
 * Translates the CLI's `system` events into session updates, by a table of subtypes.
 *
 * Modes, models and slash commands are handled by the session itself. Those events, and
 * all subtypes that are not in the table, produce no update.
 */
import { update } from "../../acp/index.ts";
import type { SystemEvent } from "../index.ts";
import { cliNotice, retryNotice } from "./notices.ts";
import { compaction, notice, type Updates } from "../../display/index.ts";
import type { TranslationState } from "./state/translation-state.ts";

type Subtype = SystemEvent["subtype"];
type EventOf<S extends Subtype> = Extract<SystemEvent, { readonly subtype: S }>;
type Table = { readonly [S in Subtype]?: (state: TranslationState, event: EventOf<S>) => Updates };

const noUpdates: Updates = [];

export function foldSystem(state: TranslationState, event: SystemEvent): Updates {
  const row = Object.hasOwn(table, event.subtype) ? table[event.subtype] : undefined;
  // The row was found by the subtype of the event, so the event has the type the row takes.
  return (row as ((state: TranslationState, event: SystemEvent) => Updates) | undefined)?.(state, event) ?? noUpdates;
}

const table: Table = {
  status: (state, { status, uuid, compact_result, compact_error }) => {
    if (status === "compacting" && state.compactionId === undefined) {
      state.compactionId = uuid ?? "compaction";
      return compaction(state.view, state.compactionId, "in_progress");
    }
    if (compact_result !== "failed" || state.compactionId === undefined) return noUpdates;
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
  session_title_changed: (_state, { title }) => [update.sessionInfo({ title: title ?? null })],
  task_started: (state, { task_id, tool_use_id }) => {
    if (tool_use_id !== undefined) state.tasks.set(task_id, tool_use_id);
    return noUpdates;
  },
  task_notification: (state, { task_id, tool_use_id, status, summary }) => {
    const id = tool_use_id ?? state.tasks.get(task_id);
    state.tasks.delete(task_id);
    return id === undefined ? noUpdates : state.calls.taskEnded(id, status === "completed", summary);
  },
  // The agent ends the turn when credentials fail; a notice about retries would mislead.
  api_retry: ({ view }, event) => (event.error === "authentication_failed" ? noUpdates : [retryNotice(view, event)]),
  model_fallback: modelChange,
  model_refusal_fallback: modelChange,
  model_refusal_no_fallback: modelChange,
  informational: ({ view }, { content, level }) => {
    const severity = level === "error" || level === "warning" ? level : "info";
    return content.trim() === "" ? noUpdates : [cliNotice(view, severity, content)];
  },
  notification: ({ view }, { text, priority }) => {
    const severity = priority === "immediate" || priority === "high" ? "warning" : "info";
    return text.trim() === "" ? noUpdates : [cliNotice(view, severity, text)];
  },
  local_command_output: (_state, { content, uuid }) =>
    content.trim() === "" ? noUpdates : [update.agentMessage(`${content.trim()}\n`, uuid)],
  session_writes_lost: ({ view }) => [notice(view, "warning", "Part of this conversation could not be saved to disk.")],
};

function modelChange({ view }: TranslationState, { content }: { readonly content?: string | undefined }): Updates {
  return content === undefined || content === "" ? noUpdates : [cliNotice(view, "warning", content)];
}
