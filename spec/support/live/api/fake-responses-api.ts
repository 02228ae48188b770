/**
 * A Responses API for live tests with the real Codex CLI, on 127.0.0.1.
 *
 * A prompt chooses its script by a marker such as `[[edit]]`. The number of responses
 * with tool results after that prompt is the step of the script. Each reply is one streamed response, a
 * status, or a response that never ends. Nothing depends on time: a stream waits at gates.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Log } from "../client/event-log.ts";
import type { Hold } from "./model-script.ts";
import { fakeCodexKey } from "../real-codex.ts";
import { StreamGate } from "./stream-gate.ts";

export interface ApiItem {
  readonly type: string;
  /** Texts of a message or of a summary, one delta for each; not part of the item. */
  readonly parts?: readonly (string | Hold)[];
  readonly [key: string]: unknown;
}

/** How a stream ends; by default it is complete. */
export type StreamEnd =
  /** The response stays open after the items. */
  | { readonly kind: "endless" }
  /** The connection breaks after the deltas of the last item. */
  | { readonly kind: "broken" }
  | { readonly kind: "incomplete"; readonly reason: string }
  | { readonly kind: "failed"; readonly code: string; readonly message: string };

export type ApiReply =
  | {
      readonly kind: "items";
      readonly items: readonly ApiItem[];
      readonly end?: StreamEnd;
      /** Headers of the response, such as those of the account's limits. */
      readonly headers?: Readonly<Record<string, string>>;
    }
  | { readonly kind: "status"; readonly status: number; readonly body: unknown }
  /** Not even headers until the gate is released. */
  | { readonly kind: "silence"; readonly gate: string }
  /** The nth request for the same step gets the nth reply; the last one is repeated. */
  | { readonly kind: "tries"; readonly replies: readonly ApiReply[] };

/** The replies to a prompt, by step; the last is repeated. */
export type CodexScript = readonly ApiReply[];

export interface ApiCall {
  readonly body: Readonly<Record<string, unknown>>;
  readonly script: string | undefined;
  readonly step: number;
}

export class ResponsesApi implements AsyncDisposable {
  readonly requests = new Log<ApiCall>("responses API", ({ script, step }) => `${script ?? "no script"} step ${step}`);
  /** Keys that are accepted. */
  readonly keys = new Set([fakeCodexKey]);
  /** How many requests were refused for their key. */
  refusedCount = 0;
  readonly #scripts = new Map<string, CodexScript>();
  readonly #gates = new Map<string, StreamGate>();
  readonly #tries = new Map<string, number>();
  readonly #server: Server;
  #lastId = 0;

  private constructor(scripts: Readonly<Record<string, CodexScript>>) {
    for (const [name, script] of Object.entries(scripts)) this.script(name, ...script);
    this.#server = createServer((request, response) => void this.#answer(request, response));
  }

  static async start(scripts: Readonly<Record<string, CodexScript>>): Promise<ResponsesApi> {
    const api = new ResponsesApi(scripts);
    await new Promise<void>((resolve) => api.#server.listen(0, "127.0.0.1", resolve));
    return api;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** The requests so far. */
  get calls(): readonly ApiCall[] {
    return this.requests.items;
  }

  /** Sets what the model does for a prompt with `[[name]]`. */
  script(name: string, ...script: CodexScript): this {
    this.#scripts.set(name, script);
    return this;
  }

  gate(name: string): StreamGate {
    const gate = this.#gates.get(name) ?? new StreamGate(name);
    this.#gates.set(name, gate);
    return gate;
  }

  /** What the model was sent for this script, oldest first, as JSON. */
  sentTo(script: string): readonly string[] {
    return this.calls.filter((one) => one.script === script).map(({ body }) => JSON.stringify(body));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method !== "POST" || !request.url?.endsWith("/responses")) return void response.writeHead(404).end();
    const key = request.headers.authorization?.replace(/^Bearer /, "") ?? "";
    if (!this.keys.has(key)) {
      this.refusedCount++;
      return send(response, 401, refused);
    }
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of request) chunks.push(chunk as Buffer);
    } catch {
      // A Codex that was killed in the middle of sending has made no request.
      return;
    }
    const body = JSON.parse(Buffer.concat(chunks).toString("utf8")) as Record<string, unknown>;
    const { script, step } = choose(body);
    this.requests.push({ body, script, step });
    const replies = this.#scripts.get(script ?? "") ?? [say("There is no script for this prompt.")];
    const reply = replies[Math.min(step, replies.length - 1)] ?? say("This script is empty.");
    await this.#reply(response, reply, `${script}#${step}`);
  }

  async #reply(response: ServerResponse, reply: ApiReply, key: string): Promise<void> {
    switch (reply.kind) {
      case "status":
        return send(response, reply.status, reply.body);
      case "silence":
        await this.gate(reply.gate).pass(goneSignal(response));
        return this.#reply(response, say("At last."), key);
      case "tries": {
        const tried = this.#tries.get(key) ?? 0;
        this.#tries.set(key, tried + 1);
        const next = reply.replies[Math.min(tried, reply.replies.length - 1)] ?? say("There are no tries.");
        return this.#reply(response, next, key);
      }
      case "items":
        for (const [name, value] of Object.entries(reply.headers ?? {})) response.setHeader(name, value);
        return this.#stream(response, reply.items, reply.end);
    }
  }

  async #stream(response: ServerResponse, items: readonly ApiItem[], end: StreamEnd | undefined): Promise<void> {
    const id = `resp_fake${++this.#lastId}`;
    const gone = goneSignal(response);
    response.writeHead(200, { "content-type": "text/event-stream" });
    const event = (type: string, data: object): void => {
      response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`);
    };
    event("response.created", { response: { id } });
    for (const [index, { parts, ...scripted }] of items.entries()) {
      // A script that runs twice makes two calls.
      const item = "call_id" in scripted ? { ...scripted, call_id: `call_fake${++this.#lastId}` } : scripted;
      const named = { id: `${item.type === "reasoning" ? "rs" : "msg"}_fake${++this.#lastId}`, ...item };
      const isCut = index === items.length - 1 && (end?.kind === "endless" || end?.kind === "broken");
      if (parts !== undefined) {
        const isSummary = item.type === "reasoning";
        event("response.output_item.added", { item: { ...named, [isSummary ? "summary" : "content"]: [] } });
        if (isSummary) event("response.reasoning_summary_part.added", { item_id: named.id, summary_index: 0 });
        const type = isSummary ? "response.reasoning_summary_text.delta" : "response.output_text.delta";
        for (const part of parts) {
          if (typeof part !== "string") await this.gate(part.hold).pass(gone);
          else event(type, { item_id: named.id, delta: part, ...(isSummary && { summary_index: 0 }) });
          if (gone.aborted) return;
        }
      }
      if (!isCut) event("response.output_item.done", { item: parts === undefined ? item : named });
    }
    switch (end?.kind) {
      case "endless":
        return;
      case "broken":
        // What was written must arrive before the connection is cut.
        return void response.write("", () => response.destroy());
      case "incomplete":
        event("response.incomplete", { response: { id, incomplete_details: { reason: end.reason } } });
        return void response.end();
      case "failed":
        event("response.failed", { response: { id, error: { code: end.code, message: end.message } } });
        return void response.end();
      case undefined:
        event("response.completed", { response: { id, usage } });
        return void response.end();
    }
  }
}

/** Several items in one response. */
export function answer(...items: readonly ApiItem[]): ApiReply {
  return { kind: "items", items };
}

export function ending(end: StreamEnd, ...items: readonly ApiItem[]): ApiReply {
  return { kind: "items", items, end };
}

export function silence(gate: string): ApiReply {
  return { kind: "silence", gate };
}

export function tries(...replies: readonly ApiReply[]): ApiReply {
  return { kind: "tries", replies };
}

/** A final answer. */
export function say(...parts: readonly (string | Hold)[]): ApiReply {
  return answer(message(...parts));
}

/** A final answer that says how much of the account's limits is used. */
export function sayLimited(text: string, primaryPercent: number, secondaryPercent: number): ApiReply {
  const headers = {
    "x-codex-primary-used-percent": String(primaryPercent),
    "x-codex-primary-window-minutes": "300",
    "x-codex-primary-reset-at": "1800000000",
    "x-codex-secondary-used-percent": String(secondaryPercent),
    "x-codex-secondary-window-minutes": "10080",
    "x-codex-secondary-reset-at": "1800500000",
  };
  return { kind: "items", items: [message(text)], headers };
}

/** Text that never ends. */
export function sayForEver(text: string): ApiReply {
  return ending({ kind: "endless" }, message(text));
}

export function run(cmd: string, more: Readonly<Record<string, unknown>> = {}): ApiReply {
  return call("exec_command", { cmd, ...more });
}

/** A command that asks to leave the sandbox. */
export function escalate(cmd: string, justification: string): ApiReply {
  return run(cmd, { sandbox_permissions: "require_escalated", justification });
}

export function patch(text: string): ApiReply {
  return answer(patchItem(text));
}

export function patchItem(text: string): ApiItem {
  return { type: "custom_tool_call", call_id: "", name: "apply_patch", input: text };
}

/** A script of a model that writes JavaScript over `tools` instead of calling tools. */
export function script(input: string): ApiReply {
  return { kind: "items", items: [{ type: "custom_tool_call", call_id: "", name: "exec", input }] };
}

export function call(name: string, args: object, namespace?: string): ApiReply {
  return answer(callItem(name, args, namespace));
}

export function callItem(name: string, args: object, namespace?: string): ApiItem {
  const item = { type: "function_call", call_id: "", name, arguments: JSON.stringify(args) };
  return namespace === undefined ? item : { ...item, namespace };
}

export function status(code: number, body: unknown = refused): ApiReply {
  return { kind: "status", status: code, body };
}

const refused = {
  error: { message: "Incorrect API key provided", type: "invalid_request_error", code: "invalid_api_key" },
};
const usage = {
  input_tokens: 100,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens: 10,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 110,
};

/** Text of a final answer, one delta for each part; a single part is cut into words. */
export function message(...parts: readonly (string | Hold)[]): ApiItem {
  return textItem("final_answer", parts);
}

/** Text between tool calls. */
export function commentary(...parts: readonly (string | Hold)[]): ApiItem {
  return textItem("commentary", parts);
}

/** The summary of a thought. */
export function think(...parts: readonly (string | Hold)[]): ApiItem {
  const summary = [{ type: "summary_text", text: joined(parts) }];
  return { type: "reasoning", summary, encrypted_content: "x", parts };
}

function textItem(phase: string, parts: readonly (string | Hold)[]): ApiItem {
  const [only] = parts;
  const deltas = parts.length === 1 && typeof only === "string" ? only.split(/(?<= )/) : parts;
  const content = [{ type: "output_text", text: joined(parts) }];
  return { type: "message", role: "assistant", phase, content, parts: deltas };
}

function joined(parts: readonly (string | Hold)[]): string {
  return parts.filter((part) => typeof part === "string").join("");
}

function goneSignal(response: ServerResponse): AbortSignal {
  const gone = new AbortController();
  response.on("close", () => gone.abort());
  return gone.signal;
}

/** The script that the last prompt with a marker names, and its step. */
function choose(body: Readonly<Record<string, unknown>>): {
  readonly script: string | undefined;
  readonly step: number;
} {
  const input = Array.isArray(body["input"]) ? (body["input"] as readonly ApiItem[]) : [];
  for (let i = input.length - 1; i >= 0; i--) {
    const item = input[i];
    // The task of a subagent is a message of another agent.
    if (item?.["role"] !== "user" && item?.type !== "agent_message") continue;
    const script = /\[\[([\w-]+)\]\]/.exec(JSON.stringify(item["content"]))?.[1];
    if (script === undefined) continue;
    return { script, step: resultGroups(input.slice(i)) };
  }
  return { script: undefined, step: 0 };
}

/** How many responses with calls were carried out: the results of one response follow each other. */
function resultGroups(input: readonly ApiItem[]): number {
  const isResult = (item: ApiItem | undefined): boolean => item?.type.endsWith("_call_output") === true;
  return input.filter((item, i) => isResult(item) && !isResult(input[i - 1])).length;
}

function send(response: ServerResponse, code: number, body: unknown): void {
  response.writeHead(code, { "content-type": "application/json" }).end(JSON.stringify(body));
}
