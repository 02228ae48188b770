/**
 * Sorts the rows of a recording into a few kinds, for the filter of the list.
 */
import { at, listOf } from "../json.js";

/** @typedef {import("./model.ts").RowKind} MessageKind */
/** @typedef {import("./model.ts").MessageRow} Row */

/** The kinds in the order of the menu. @type {readonly (readonly [kind: MessageKind, name: string])[]} */
export const messageKinds = [
  ["prompt", "Prompts and turns"],
  ["text", "Text of the model"],
  ["thought", "Thoughts"],
  ["tool", "Tool calls"],
  ["permission", "Permissions and forms"],
  ["file", "Files"],
  ["terminal", "Terminals"],
  ["process", "Starts, exits, stderr"],
  ["other", "Everything else"],
];

/** The kinds of messages by name; the first pattern that matches decides. @type {readonly (readonly [pattern: RegExp, kind: MessageKind])[]} */
const patterns = [
  [/^(session\/(prompt|cancel)|turn\/(start|started|completed|interrupt|steer)|result|interrupt)$/, "prompt"],
  [/^(session\/request_permission|elicitation\/.+|can_use_tool|.+\/request(Approval|UserInput))$/, "permission"],
  [/^(tool_call(_update)?|tool_progress|item\/(commandExecution|fileChange|mcpToolCall)\/.+)$/, "tool"],
  [/^fs\//, "file"],
  [/^terminal\//, "terminal"],
];

/** The kinds that a stream of this family belongs to. */
const familyKinds = /** @type {const} */ ({ text: "text", thought: "thought", input: "tool", output: "tool" });

/** @param {Row} row Its name and family are known. @param {unknown} msg Undefined for a row without a message. @returns {MessageKind} */
export function kindOf({ name, family, side }, msg) {
  if (family !== undefined) return familyKinds[family];
  if (side === "claude" && (name === "assistant" || name === "user")) return blockKind(msg);
  if (side === "codex" && (name === "item/started" || name === "item/completed")) return itemKind(msg);
  return patterns.find(([pattern]) => pattern.test(name))?.[1] ?? "other";
}

/** The kind of a message of blocks: a tool call before text before thoughts. @param {unknown} msg @returns {MessageKind} */
function blockKind(msg) {
  const content = at(msg, "message", "content");
  const types = new Set(listOf(content).map((block) => at(block, "type")));
  if (types.has("tool_use") || types.has("tool_result")) return "tool";
  if (at(msg, "type") === "user") return "prompt";
  return types.has("thinking") && !types.has("text") ? "thought" : "text";
}

/** @type {ReadonlyMap<unknown, MessageKind>} */
const itemKinds = new Map([
  ["userMessage", "prompt"],
  ["agentMessage", "text"],
  ["reasoning", "thought"],
  ["plan", "other"],
  ["contextCompaction", "other"],
  ["hookPrompt", "other"],
]);

/** @param {unknown} msg @returns {MessageKind} */
function itemKind(msg) {
  return itemKinds.get(at(msg, "params", "item", "type")) ?? "tool";
}
