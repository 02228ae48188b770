/**
 * A Responses API for live tests with the real Codex CLI, on 127.0.0.1.
 *
 * A prompt chooses its script by a marker such as `[[edit]]`. The number of tool results
 * after that prompt is the step of the script. Each reply is one streamed response, a
 * status, or a response that never ends.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { fakeCodexKey } from "./real-codex.ts";

export interface ApiItem {
  readonly type: string;
  readonly [key: string]: unknown;
}

export type ApiReply =
  /** `isEndless`: the response stays open after the items. */
  | { readonly kind: "items"; readonly items: readonly ApiItem[]; readonly isEndless?: boolean }
  | { readonly kind: "status"; readonly status: number; readonly body: unknown };

/** The replies to a prompt, by step; the last is repeated. */
export type CodexScript = readonly ApiReply[];

export interface ApiCall {
  readonly body: Readonly<Record<string, unknown>>;
  readonly script: string | undefined;
  readonly step: number;
}

export class ResponsesApi implements AsyncDisposable {
  readonly calls: ApiCall[] = [];
  readonly #scripts: Readonly<Record<string, CodexScript>>;
  readonly #server: Server;
  #lastId = 0;

  private constructor(scripts: Readonly<Record<string, CodexScript>>) {
    this.#scripts = scripts;
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

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method !== "POST" || !request.url?.endsWith("/responses")) return void response.writeHead(404).end();
    if (request.headers.authorization !== `Bearer ${fakeCodexKey}`) return send(response, 401, refused);
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = JSON.parse(Buffer.concat(chunks).toString("utf8")) as Record<string, unknown>;
    const { script, step } = choose(body);
    this.calls.push({ body, script, step });
    const replies = this.#scripts[script ?? ""] ?? [say("There is no script for this prompt.")];
    const reply = replies[Math.min(step, replies.length - 1)] ?? say("This script is empty.");
    if (reply.kind === "status") return send(response, reply.status, reply.body);
    this.#stream(response, reply.items, reply.isEndless === true);
  }

  #stream(response: ServerResponse, items: readonly ApiItem[], isEndless: boolean): void {
    const id = `resp_fake${++this.#lastId}`;
    response.writeHead(200, { "content-type": "text/event-stream" });
    const event = (type: string, data: object): void => {
      response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`);
    };
    event("response.created", { response: { id } });
    for (const item of items) {
      const named = item.type === "message" ? { id: `msg_fake${++this.#lastId}`, ...item } : item;
      if (item.type === "message") {
        event("response.output_item.added", { item: { ...named, content: [] } });
        for (const word of textOf(item).split(/(?<= )/)) {
          event("response.output_text.delta", { item_id: named["id"], delta: word });
        }
        if (isEndless) continue;
      }
      event("response.output_item.done", { item: named });
    }
    if (isEndless) return;
    event("response.completed", { response: { id, usage } });
    response.end();
  }
}

/** A final answer. */
export function say(text: string): ApiReply {
  return { kind: "items", items: [message(text)] };
}

/** Text that never ends. */
export function sayForEver(text: string): ApiReply {
  return { kind: "items", items: [message(text)], isEndless: true };
}

export function run(cmd: string, more: Readonly<Record<string, unknown>> = {}): ApiReply {
  return call("exec_command", { cmd, ...more });
}

/** A command that asks to leave the sandbox. */
export function escalate(cmd: string, justification: string): ApiReply {
  return run(cmd, { sandbox_permissions: "require_escalated", justification });
}

export function patch(text: string): ApiReply {
  const item = { type: "custom_tool_call", call_id: callId(), name: "apply_patch", input: text };
  return { kind: "items", items: [item] };
}

/** A script of a model that writes JavaScript over `tools` instead of calling tools. */
export function script(input: string): ApiReply {
  return { kind: "items", items: [{ type: "custom_tool_call", call_id: callId(), name: "exec", input }] };
}

export function call(name: string, args: object, namespace?: string): ApiReply {
  const item = { type: "function_call", call_id: callId(), name, arguments: JSON.stringify(args) };
  return { kind: "items", items: [namespace === undefined ? item : { ...item, namespace }] };
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

function message(text: string): ApiItem {
  return { type: "message", role: "assistant", phase: "final_answer", content: [{ type: "output_text", text }] };
}

function textOf(item: ApiItem): string {
  const [part] = item["content"] as readonly { readonly text: string }[];
  return part?.text ?? "";
}

let lastCall = 0;

function callId(): string {
  return `call_fake${++lastCall}`;
}

/** The script that the last prompt with a marker names, and how many tool results follow it. */
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
    return { script, step: input.slice(i).filter(({ type }) => type.endsWith("_call_output")).length };
  }
  return { script: undefined, step: 0 };
}

function send(response: ServerResponse, code: number, body: unknown): void {
  response.writeHead(code, { "content-type": "application/json" }).end(JSON.stringify(body));
}
