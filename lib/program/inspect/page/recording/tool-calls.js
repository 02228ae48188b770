/**
 * Finds the start and end of each tool call in a recording.
 *
 * When both sides report a call, its start is the report that came first.
 */
import { at, listOf } from "../json.js";
import { textOf } from "../format.js";

/** @typedef {import("./model.ts").MessageRow} Row */
/** @typedef {import("./model.ts").Tool} Tool */

/** Records tool calls that a message starts or ends. @param {Map<string, Tool>} tools By their ids. @param {Row} row @param {unknown} msg */
export function noteTools(tools, row, msg) {
  const update = at(msg, "method") === "session/update" ? at(msg, "params", "update") : undefined;
  const callId = at(update, "toolCallId");
  if (callId) {
    if (at(update, "sessionUpdate") === "tool_call") begin(tools, callId, row, at(update, "title"));
    const status = at(update, "status");
    if (status === "completed" || status === "failed") finish(tools, callId, row, status);
  }
  if (row.side === "codex") noteItem(tools, row, msg);
  for (const block of listOf(at(msg, "message", "content"))) {
    if (at(block, "type") === "tool_use") begin(tools, at(block, "id"), row, at(block, "name"));
    if (at(block, "type") !== "tool_result") continue;
    const id = at(block, "tool_use_id");
    if (tools.get(textOf(id))?.row.side === "claude")
      finish(tools, id, row, at(block, "is_error") ? "failed" : "completed");
  }
}

/** The items of Codex that are no calls. */
const otherItems = new Set(["userMessage", "agentMessage", "reasoning", "plan", "contextCompaction", "hookPrompt"]);

/** @param {Map<string, Tool>} tools @param {Row} row @param {unknown} msg */
function noteItem(tools, row, msg) {
  const [method, item] = [at(msg, "method"), at(msg, "params", "item")];
  const [type, id] = [at(item, "type"), at(item, "id")];
  if (id === undefined || otherItems.has(textOf(type))) return;
  if (method === "item/started") begin(tools, id, row, at(item, "command") ?? at(item, "tool") ?? type);
  if (method === "item/completed" && tools.get(textOf(id))?.row.side === "codex")
    finish(tools, id, row, at(item, "status") === "completed" ? "completed" : "failed");
}

/** @param {Map<string, Tool>} tools @param {unknown} id @param {Row} row @param {unknown} title */
function begin(tools, id, row, title) {
  if (tools.has(textOf(id))) return;
  row.tool = { title: textOf(title), row, from: row.t, to: row.t, status: "" };
  tools.set(textOf(id), row.tool);
}

/** @param {Map<string, Tool>} tools @param {unknown} id @param {Row} row @param {"completed" | "failed"} status */
function finish(tools, id, row, status) {
  const tool = tools.get(textOf(id));
  if (tool === undefined) return;
  tool.to = row.t;
  tool.status = status;
  tool.row.ms = row.t - tool.from;
}
