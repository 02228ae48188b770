/**
 * Describes a message by a name and a short text.
 *
 * Knows the messages of ACP, of the Claude CLI and of `codex app-server`, and accepts
 * values of any shape.
 */
import { at, listOf } from "../json.js";
import { short, textOf } from "../format.js";

/** @typedef {import("./model.ts").Described} Described */
/** @typedef {import("./model.ts").Family} Family */
/** @typedef {import("./model.ts").TapeSide} Side */

/** @type {ReadonlyMap<unknown, Family>} */
const families = new Map([
  ["agent_message_chunk", "text"],
  ["agent_thought_chunk", "thought"],
  ["text_delta", "text"],
  ["thinking_delta", "thought"],
  ["input_json_delta", "input"],
  ["item/agentMessage/delta", "text"],
  ["item/reasoning/summaryTextDelta", "thought"],
  ["item/reasoning/textDelta", "thought"],
  ["item/commandExecution/outputDelta", "output"],
]);

/** @param {Side} side @param {unknown} msg @param {string} [asked] The name of the request that `msg` answers. @returns {Described} */
export function describe(side, msg, asked) {
  if (side === "claude") return describeClaude(msg, asked);
  if (side === "codex") return describeCodex(msg, asked);
  const method = at(msg, "method");
  if (method === "session/update") return describeUpdate(at(msg, "params", "update"));
  return method === undefined ? describeAnswer(msg, asked) : describeCall(method, at(msg, "params"));
}

/** @param {unknown} update @returns {Described} */
function describeUpdate(update) {
  const kind = at(update, "sessionUpdate");
  const family = families.get(kind);
  const entries = listOf(at(update, "entries")).map((entry) => textOf(at(entry, "content")));
  const said = at(update, "content", "text") ?? at(update, "title") ?? entries.join(", ");
  if (family !== undefined && typeof said === "string") return { name: textOf(kind), say: said, family };
  return { name: textOf(kind ?? "session/update"), say: sentence(short(said), at(update, "status")) };
}

/** @param {unknown} method @param {unknown} params @returns {Described} */
function describeCall(method, params) {
  const prompt = at(params, "prompt");
  const configId = at(params, "configId");
  const said = prompt
    ? blocks(prompt)
    : (at(params, "toolCall", "title") ??
      at(params, "path") ??
      at(params, "command") ??
      at(params, "cwd") ??
      at(params, "modeId") ??
      (configId && `${textOf(configId)} = ${word(at(params, "value"))}`) ??
      at(params, "clientInfo", "title") ??
      at(params, "clientInfo", "name") ??
      at(params, "sessionId"));
  return { name: textOf(method), say: short(said) };
}

/** @param {unknown} msg @param {string} [asked] @returns {Described} */
function describeAnswer(msg, asked = "answer") {
  const error = at(msg, "error");
  if (error !== undefined) return { name: asked, say: short(at(error, "message") ?? error) };
  const result = at(msg, "result");
  const agent = at(result, "agentInfo");
  const said =
    at(result, "stopReason") ??
    at(result, "outcome", "optionId") ??
    at(result, "outcome", "outcome") ??
    at(result, "terminalId") ??
    at(result, "content") ??
    at(result, "sessionId") ??
    (agent && `${word(at(agent, "title") ?? at(agent, "name"))} ${word(at(agent, "version"))}`) ??
    result;
  return { name: asked, say: short(said) };
}

/** @param {unknown} msg @param {string} [asked] @returns {Described} */
function describeClaude(msg, asked) {
  const [type, subtype] = [at(msg, "type"), at(msg, "subtype")];
  const name = word(type);
  if (type === "stream_event") return describeEvent(at(msg, "event"));
  if (type === "control_request") {
    const request = at(msg, "request");
    const said = at(request, "tool_name") ?? at(request, "mode") ?? at(request, "model") ?? "";
    return { name: word(at(request, "subtype")), say: short(said) };
  }
  if (type === "control_response") {
    const response = at(msg, "response");
    const said = at(response, "response", "behavior") ?? at(response, "error") ?? at(response, "subtype");
    return { name: asked ?? name, say: short(said) };
  }
  if (type === "assistant" || type === "user") {
    const content = at(msg, "message", "content");
    return { name, say: short(typeof content === "string" ? content : blocks(content)) };
  }
  if (type === "result") return { name, say: short(sentence(subtype, at(msg, "result"))) };
  const said = at(msg, "status") ?? at(msg, "state") ?? at(msg, "model") ?? "";
  return { name: subtype ? `${name}/${word(subtype)}` : name, say: short(said) };
}

/** @param {unknown} event @returns {Described} */
function describeEvent(event) {
  const [delta, block] = [at(event, "delta"), at(event, "content_block")];
  const kind = at(delta, "type");
  const family = families.get(kind);
  const piece = at(delta, "text") ?? at(delta, "thinking") ?? at(delta, "partial_json");
  const say = textOf(piece ?? at(block, "name") ?? at(block, "type") ?? "");
  return family === undefined ? { name: word(at(event, "type")), say } : { name: word(kind), say, family };
}

/** @param {unknown} msg @param {string} [asked] @returns {Described} */
function describeCodex(msg, asked) {
  const method = at(msg, "method");
  if (method === undefined) return describeCodexAnswer(msg, asked);
  const params = at(msg, "params");
  const name = textOf(method);
  const family = families.get(method);
  const delta = at(params, "delta");
  if (family !== undefined && typeof delta === "string") return { name, say: delta, family };
  const item = at(params, "item");
  if (item !== undefined) {
    const changed = listOf(at(item, "changes")).map((change) => textOf(at(change, "path")));
    const said = at(item, "command") ?? at(item, "text") ?? at(item, "tool") ?? at(item, "query") ?? changed.join(", ");
    return { name, say: sentence(at(item, "type"), short(said), at(item, "status")) };
  }
  const error = at(params, "error", "message") ?? at(params, "turn", "error", "message");
  const said =
    delta ??
    (at(params, "input") && blocks(at(params, "input"))) ??
    at(params, "command") ??
    at(params, "reason") ??
    at(params, "message") ??
    at(params, "summary") ??
    sentence(at(params, "turn", "status") ?? at(params, "status", "type"), error ?? at(params, "cwd"));
  return { name, say: short(said || at(params, "clientInfo", "name") || "") };
}

/** @param {unknown} msg @param {string} [asked] @returns {Described} */
function describeCodexAnswer(msg, asked = "answer") {
  const error = at(msg, "error");
  if (error !== undefined) return { name: asked, say: short(at(error, "message") ?? error) };
  const result = at(msg, "result");
  const said =
    at(result, "decision") ??
    at(result, "action") ??
    at(result, "turn", "id") ??
    at(result, "thread", "id") ??
    at(result, "userAgent") ??
    result;
  return { name: asked, say: short(said) };
}

/** @param {unknown} list */
function blocks(list) {
  return listOf(list)
    .map((block) => textOf(at(block, "text") ?? at(block, "name") ?? at(block, "uri") ?? at(block, "type")))
    .join(" ");
}

/** @param {...unknown} parts */
function sentence(...parts) {
  return parts.filter(Boolean).map(textOf).join(" · ");
}

/** A missing value becomes "undefined". @param {unknown} value */
function word(value) {
  return value === undefined ? "undefined" : textOf(value);
}
