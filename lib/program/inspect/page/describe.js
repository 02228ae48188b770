/**
 * Describes a message by a name and a short text.
 *
 * Knows the messages of ACP and of the Claude CLI, and accepts values of any shape.
 */
import { at, listOf } from "./json.js";
import { short, textOf } from "./format.js";

/** @typedef {import("./model.ts").Described} Described */
/** @typedef {import("./model.ts").Family} Family */
/** @typedef {import("./model.ts").Side} Side */

/** @type {ReadonlyMap<unknown, Family>} */
const families = new Map([
  ["agent_message_chunk", "text"],
  ["agent_thought_chunk", "thought"],
  ["text_delta", "text"],
  ["thinking_delta", "thought"],
  ["input_json_delta", "input"],
]);

/** @param {Side} side @param {unknown} msg @param {string} [asked] The name of the request that `msg` answers. @returns {Described} */
export function describe(side, msg, asked) {
  if (side === "claude") return describeClaude(msg, asked);
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
