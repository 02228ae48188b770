/**
 * A fake Messages API on 127.0.0.1 whose model answers by script.
 *
 * Scripts are chosen by a marker in the prompt, `[[name]]`; rules answer requests
 * without a marker. Every request is kept. Nothing depends on time: a stream waits at
 * gates, and closing the API releases all of them.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { isCompaction, placeOf, promptText, type ApiBody, type ApiRequest, type ExchangeEnd } from "./api-request.ts";
import { eventsOf, ids, wholeMessage } from "./messages-api-events.ts";
import { StreamGate } from "./stream-gate.ts";
import { at } from "../../json.ts";
import { Log } from "../client/event-log.ts";
import {
  answer,
  isHold,
  say,
  type AnswerStep,
  type FailureStep,
  type Script,
  type SilenceStep,
  type Step,
  type StepOf,
} from "./model-script.ts";

/** Answers a request before markers are looked at. */
export interface Rule {
  readonly when: (request: ApiRequest) => boolean;
  readonly step: Step | StepOf;
}

export class MessagesApi implements AsyncDisposable {
  /** Every POST /v1/messages, in the order of arrival. */
  readonly requests = new Log<ApiRequest>("messages API", ({ script, step, body }) => {
    const last = body.messages.at(-1);
    return `${script ?? "side request"} step ${step}: ${last === undefined ? "" : promptText(last)}`;
  });
  /** Every other request, as `METHOD path`. */
  readonly others: string[] = [];
  readonly #scripts = new Map<string, Script>();
  readonly #rules: Rule[] = [];
  readonly #gates = new Map<string, StreamGate>();
  readonly #tries = new Map<string, number>();
  readonly #sockets = new Set<Socket>();
  readonly #ids = ids();
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((request, response) => void this.#serve(request, response));
    this.#server.on("connection", (socket) => {
      this.#sockets.add(socket);
      socket.on("close", () => this.#sockets.delete(socket));
    });
  }

  static async start(scripts: Readonly<Record<string, Script>> = {}): Promise<MessagesApi> {
    const api = new MessagesApi();
    for (const [name, script] of Object.entries(scripts)) api.script(name, ...script);
    await new Promise<void>((resolve) => api.#server.listen(0, "127.0.0.1", resolve));
    return api;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port; // a TCP server that listens
  }

  /** Sets what the model does for a prompt with `[[name]]`. Setting it again starts from the first step. */
  script(name: string, ...script: Script): this {
    this.#scripts.set(name, script);
    for (const key of this.#tries.keys()) if (key.startsWith(`${name}#`)) this.#tries.delete(key);
    return this;
  }

  rule(when: Rule["when"], step: Rule["step"]): this {
    this.#rules.unshift({ when, step });
    return this;
  }

  gate(name: string): StreamGate {
    const gate = this.#gates.get(name) ?? new StreamGate(name);
    this.#gates.set(name, gate);
    return gate;
  }

  /** The requests of one script, oldest first. */
  requestsOf(script: string): readonly ApiRequest[] {
    return this.requests.items.filter((request) => request.script === script);
  }

  /** What the model was sent for a script, oldest first, as JSON. */
  sentTo(script: string): readonly string[] {
    return this.requestsOf(script).map(({ body }) => JSON.stringify(body));
  }

  async close(): Promise<void> {
    this.requests.close("the API was closed");
    for (const socket of this.#sockets) socket.destroy();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = (request.url ?? "/").split("?")[0];
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of request) chunks.push(chunk as Buffer); // no encoding was set
    } catch {
      // A CLI that was killed in the middle of sending has made no request.
      return;
    }
    if (request.method === "POST" && path === "/v1/messages") {
      return this.#exchange(request, response, JSON.parse(Buffer.concat(chunks).toString("utf8")) as ApiBody);
    }
    this.others.push(`${request.method} ${path}`);
    if (path === "/v1/messages/count_tokens") return sendJson(response, 200, { input_tokens: 1234 });
    if (request.method === "HEAD" && path === "/") return void response.writeHead(200).end();
    return sendJson(response, 404, { type: "error", error: { type: "not_found_error", message: "not here" } });
  }

  async #exchange(incoming: IncomingMessage, response: ServerResponse, body: ApiBody): Promise<void> {
    const gone = new AbortController();
    response.on("close", () => gone.abort());
    const { promise: ended, resolve: end } = settler<ExchangeEnd>();
    const request: ApiRequest = { headers: incoming.headers, body, ...placeOf(body), ended };
    this.requests.push(request);
    response.setHeader("request-id", this.#ids.next("req"));
    let step = this.#stepFor(request);
    if (step.kind === "silence") {
      await this.gate(step.gate).pass(gone.signal);
      step = step.next;
    }
    if (gone.signal.aborted) return end("abandoned");
    for (const [name, value] of Object.entries(step.headers ?? {})) response.setHeader(name, value);
    if (step.kind === "failure") sendFailure(response, step);
    else if (body.stream !== true) sendJson(response, 200, wholeMessage(step, body.model, this.#ids));
    else await this.#stream(response, step, body.model, gone.signal);
    if (response.writableEnded) end("answered");
    else end(step.kind === "answer" && step.isBroken === true && response.destroyed ? "broken" : "abandoned");
  }

  async #stream(response: ServerResponse, step: AnswerStep, model: string, gone: AbortSignal): Promise<void> {
    response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
    for (const event of eventsOf(step, model, this.#ids)) {
      if (isHold(event)) await this.gate(event.hold).pass(gone);
      else {
        const isDelta = event.type === "content_block_delta";
        if (isDelta && step.everyMs !== undefined) await pause(step.everyMs);
        const isTaken = response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
        if (!isTaken && !gone.aborted) await drained(response, gone);
      }
      if (gone.aborted) return;
    }
    if (step.isBroken !== true) return void response.end();
    // What was written must arrive before the connection is cut.
    await new Promise<void>((resolve) => response.write("", () => resolve()));
    response.destroy();
  }

  /** The step that answers, with `tries` already counted. */
  #stepFor(request: ApiRequest): AnswerStep | FailureStep | SilenceStep {
    const rule = this.#rules.find(({ when }) => when(request));
    const found = rule?.step ?? this.#scripted(request) ?? sideAnswer(request);
    const step = typeof found === "function" ? found(request) : found;
    if (step.kind === "forever") return step.step;
    if (step.kind !== "tries") return step;
    const key = `${request.script}#${request.step}`;
    const tried = this.#tries.get(key) ?? 0;
    this.#tries.set(key, tried + 1);
    return step.tries[Math.min(tried, step.tries.length - 1)] ?? answer(say("no tries in the script"));
  }

  #scripted({ script, step }: ApiRequest): Step | StepOf | undefined {
    if (script === undefined) return undefined;
    const steps = this.#scripts.get(script);
    const last = steps?.at(-1);
    const isForever = typeof last === "object" && last.kind === "forever";
    return steps?.[step] ?? (isForever ? last : undefined) ?? answer(say(`(script ${script} has no step ${step})`));
  }
}

/** Titles, summaries, safety checks: requests of the CLI itself, with no prompt of ours to answer. */
function sideAnswer({ body }: ApiRequest): Step {
  if (isCompaction(body)) return answer(say("<summary>\nThe user said hello.\n</summary>"));
  const format = JSON.stringify(at(body, "output_config.format") ?? "");
  return answer(say(format.includes("title") ? '{"title":"A short title"}' : "A short answer."));
}

function sendFailure(response: ServerResponse, { status, errorType, message }: FailureStep): void {
  sendJson(response, status, { type: "error", error: { type: errorType, message } });
}

function sendJson(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
}

function drained(response: ServerResponse, gone: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const go = (): void => {
      response.off("drain", go);
      gone.removeEventListener("abort", go);
      resolve();
    };
    response.once("drain", go);
    gone.addEventListener("abort", go);
  });
}

function settler<T>(): { readonly promise: Promise<T>; readonly resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => {};
  const promise = new Promise<T>((settle) => (resolve = settle));
  return { promise, resolve };
}
