/**
 * Pieces: the words that a stream cuts up, and where in a message they are.
 *
 * Both sides have such streams: the CLI's deltas, the agent's chunks and the output
 * of a terminal.
 */
import { type Fields, isFields, textOf } from "./tape-rows.ts";

export interface StreamFragment {
  /** A session's streams begin with its id. */
  readonly stream: string;
  readonly words: string;
  /** They are parts of JSON text. */
  readonly isJson: boolean;
  /** The message with other words. */
  readonly put: (words: string) => Fields;
}

/** Where a delta of the CLI keeps its words. */
const deltaFields: Readonly<Record<string, string>> = {
  text_delta: "text",
  thinking_delta: "thinking",
  input_json_delta: "partial_json",
};

export function fragmentOf(message: Fields, session = ""): StreamFragment | undefined {
  return deltaOf(message, session) ?? chunkOf(message);
}

/** How the names of the streams begin that end with this message; undefined when none do. */
export function endedBy(message: Fields, session = ""): string | undefined {
  const { event, params } = message;
  if (isFields(event)) return event["type"] === "content_block_stop" ? blockName(message, event, session) : undefined;
  if (message["jsonrpc"] === undefined) return undefined;
  const update = isFields(params) ? params["update"] : undefined;
  return isFields(params) && isFields(update) ? `${String(params["sessionId"])} ` : undefined;
}

function deltaOf(message: Fields, session: string): StreamFragment | undefined {
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

function blockName(message: Fields, event: Fields, session: string): string {
  return `${session} ${textOf(message["parent_tool_use_id"]) ?? ""} ${String(event["index"])} `;
}

function chunkOf(message: Fields): StreamFragment | undefined {
  const { params } = message;
  const update = isFields(params) ? params["update"] : undefined;
  if (!isFields(params) || !isFields(update)) return undefined;
  const session = String(params["sessionId"]);
  const kind = String(update["sessionUpdate"]);
  const { content, _meta: meta } = update;
  const output = isFields(meta) ? meta["terminal_output"] : undefined;
  const words = (holder: Fields, field: string, name: string, put: (changed: Fields) => Fields): StreamFragment => ({
    stream: `${session} ${kind} ${name} `,
    words: String(holder[field]),
    isJson: false,
    put: (said) => ({ ...message, params: { ...params, update: put({ ...holder, [field]: said }) } }),
  });
  if (kind.endsWith("_chunk") && isFields(content) && typeof content["text"] === "string") {
    return words(content, "text", textOf(update["messageId"]) ?? "", (changed) => ({ ...update, content: changed }));
  }
  if (isFields(meta) && isFields(output) && typeof output["data"] === "string") {
    const put = (changed: Fields): Fields => ({ ...update, _meta: { ...meta, terminal_output: changed } });
    return words(output, "data", String(update["toolCallId"]), put);
  }
  return undefined;
}
