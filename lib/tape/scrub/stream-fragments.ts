/**
 * Finds the fragment of streamed text inside a message, and which stream it belongs to.
 *
 * Streams are the deltas of Claude and of Codex, the agent's message chunks and terminal
 * output.
 */
import { type RowFields, isFields, textOf } from "../tape-rows.ts";

export interface StreamFragment {
  /** The stream's name, which begins with the session id. */
  readonly stream: string;
  readonly words: string;
  /** The text is part of serialised JSON. */
  readonly isJson: boolean;
  /** Returns the message with another text. */
  readonly put: (words: string) => RowFields;
}

/** The field that contains the text, by type of delta. */
const deltaFields: Readonly<Record<string, string>> = {
  text_delta: "text",
  thinking_delta: "thinking",
  input_json_delta: "partial_json",
};

export function fragmentOf(message: RowFields, session = ""): StreamFragment | undefined {
  return deltaOf(message, session) ?? codexDeltaOf(message) ?? chunkOf(message);
}

/** The name prefix of the streams that end with this message; undefined when none end. */
export function endedBy(message: RowFields, session = ""): string | undefined {
  const { event, params } = message;
  if (isFields(event)) return event["type"] === "content_block_stop" ? blockName(message, event, session) : undefined;
  if (message["jsonrpc"] === undefined) return codexStreamEndedBy(message);
  const update = isFields(params) ? params["update"] : undefined;
  return isFields(params) && isFields(update) ? `${String(params["sessionId"])} ` : undefined;
}

function deltaOf(message: RowFields, session: string): StreamFragment | undefined {
  const { event } = message;
  const delta = isFields(event) && event["type"] === "content_block_delta" ? event["delta"] : undefined;
  const field = isFields(delta) ? deltaFields[String(delta["type"])] : undefined;
  if (!isFields(event) || !isFields(delta) || field === undefined) return undefined;
  return {
    stream: blockName(message, event, session),
    words: String(delta[field]),
    isJson: field === "partial_json",
    put: (words) => ({ ...message, event: { ...event, delta: { ...delta, [field]: words } } }),
  };
}

function blockName(message: RowFields, event: RowFields, session: string): string {
  return `${session} ${textOf(message["parent_tool_use_id"]) ?? ""} ${String(event["index"])} `;
}

function chunkOf(message: RowFields): StreamFragment | undefined {
  const { params } = message;
  const update = isFields(params) ? params["update"] : undefined;
  if (!isFields(params) || !isFields(update)) return undefined;
  const session = String(params["sessionId"]);
  const kind = String(update["sessionUpdate"]);
  const { content, _meta: meta } = update;
  const output = isFields(meta) ? meta["terminal_output"] : undefined;
  const words = (
    holder: RowFields,
    field: string,
    name: string,
    put: (changed: RowFields) => RowFields,
  ): StreamFragment => ({
    stream: `${session} ${kind} ${name} `,
    words: String(holder[field]),
    isJson: false,
    put: (said) => ({ ...message, params: { ...params, update: put({ ...holder, [field]: said }) } }),
  });
  if (kind.endsWith("_chunk") && isFields(content) && typeof content["text"] === "string") {
    return words(content, "text", textOf(update["messageId"]) ?? "", (changed) => ({ ...update, content: changed }));
  }
  if (isFields(meta) && isFields(output) && typeof output["data"] === "string") {
    const put = (changed: RowFields): RowFields => ({ ...update, _meta: { ...meta, terminal_output: changed } });
    return words(output, "data", String(update["toolCallId"]), put);
  }
  return undefined;
}

/** Text, thoughts, plans and the output of commands come as `item/<type>/<name>Delta` with a `delta`. */
function codexDeltaOf(message: RowFields): StreamFragment | undefined {
  const { method, params } = message;
  if (typeof method !== "string" || !/^item\/.*delta$/i.test(method) || !isFields(params)) return undefined;
  const { threadId, itemId, delta, summaryIndex, contentIndex } = params;
  if (typeof delta !== "string") return undefined;
  return {
    stream: `codex ${String(threadId)} ${String(itemId)} ${method} ${JSON.stringify([summaryIndex, contentIndex])} `,
    words: delta,
    isJson: false,
    put: (words) => ({ ...message, params: { ...params, delta: words } }),
  };
}

function codexStreamEndedBy({ method, params }: RowFields): string | undefined {
  if (!isFields(params)) return undefined;
  const { threadId, item } = params;
  if (method === "turn/completed") return `codex ${String(threadId)} `;
  return method === "item/completed" && isFields(item) ? `codex ${String(threadId)} ${String(item["id"])} ` : undefined;
}
