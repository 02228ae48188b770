/**
 * Reads a request to the Messages API: what the model was sent, and which script it
 * belongs to.
 *
 * The marker of the last prompt that has one names the script, and the number of
 * assistant messages after it is the step. Tool results are not prompts: a marker in a
 * file that was read does not count.
 */
import type { IncomingHttpHeaders } from "node:http";
import { at, isObject, listAt, textAt, type JsonObject } from "../../json.ts";

export interface ApiMessage {
  readonly role: "user" | "assistant" | "system";
  readonly content: string | readonly JsonObject[];
}

export interface ApiBody {
  readonly model: string;
  readonly messages: readonly ApiMessage[];
  readonly system?: string | readonly JsonObject[];
  readonly tools?: readonly JsonObject[];
  readonly stream?: boolean;
  readonly max_tokens?: number;
  readonly [key: string]: unknown;
}

/** How the exchange ended: answered to the last byte, cut by the script, or given up by the CLI. */
export type ExchangeEnd = "answered" | "broken" | "abandoned";

export interface ApiRequest {
  readonly headers: IncomingHttpHeaders;
  readonly body: ApiBody;
  /** Name of the script; undefined for the CLI's side requests (titles, summaries). */
  readonly script: string | undefined;
  readonly step: number;
  readonly ended: Promise<ExchangeEnd>;
}

export function placeOf(body: ApiBody): { readonly script: string | undefined; readonly step: number } {
  let script: string | undefined;
  let step = 0;
  if (isSideRequest(body)) return { script, step };
  for (const message of body.messages) {
    if (message.role === "assistant") step++;
    else {
      const marker = [...promptText(message).matchAll(/\[\[([\w-]+)\]\]/g)].at(-1)?.[1];
      if (marker === undefined) continue;
      script = marker;
      step = 0;
    }
  }
  return { script, step };
}

/**
 * Requests of the CLI for itself that quote the conversation, marker and all: a
 * title (the only one with an output format) and the summary of a compaction.
 */
function isSideRequest(body: ApiBody): boolean {
  return at(body, "output_config.format") !== undefined || isCompaction(body);
}

export function isCompaction({ messages }: ApiBody): boolean {
  const last = messages.at(-1);
  return last !== undefined && promptText(last).includes("CRITICAL: Respond with TEXT ONLY");
}

/** The text of a message without its tool results. */
export function promptText({ content }: ApiMessage): string {
  if (typeof content === "string") return content;
  return content
    .filter((block) => block["type"] === "text")
    .map((block) => textAt(block, "text"))
    .join("\n");
}

/** All user text of the conversation. */
export function promptTexts(request: ApiRequest): readonly string[] {
  return request.body.messages.filter(({ role }) => role === "user").map(promptText);
}

/** Names of the tools the model was offered. */
export function toolNames({ body }: ApiRequest): readonly string[] {
  return (body.tools ?? []).map((tool) => textAt(tool, "name"));
}

/** Blocks of one type anywhere in the user messages: `tool_result`, `image`, `document`... */
export function sentBlocks({ body }: ApiRequest, type: string): readonly JsonObject[] {
  return body.messages.flatMap(({ role, content }) =>
    role === "user" && typeof content !== "string" ? content.filter((block) => block["type"] === type) : [],
  );
}

/** The text of every tool result, oldest first. */
export function toolResultTexts(request: ApiRequest): readonly string[] {
  return sentBlocks(request, "tool_result").map((block) => {
    const { content } = block;
    if (typeof content === "string") return content;
    return listAt(block, "content")
      .map((part) => (isObject(part) ? textAt(part, "text") : ""))
      .join("");
  });
}
