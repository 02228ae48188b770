/**
 * Folds the messages between an editor and an agent into OpenTelemetry spans, with the names of
 * its conventions for generative AI.
 *
 * A prompt is a span `invoke_agent`, a tool call is its child `execute_tool`, and the wait for a
 * permission is a child of the tool call. A prompt belongs to the trace of the `traceparent` in
 * its `_meta`; without one to the trace of its session, or to a new trace. Titles of tool calls
 * and paths are left out unless `hasContent` is set, and the text of messages always.
 */
import { type Fields, isRecord, recordIn, recordsIn, textOf } from "../../schema/index.ts";
import type { Row } from "../../tape/index.ts";
import { modelIn, usageIn } from "../tapes/reported-usage.ts";
import { type AttributeValue, derivedId, readTraceParent, type Span, type TraceParent } from "./span.ts";

type Attributes = Record<string, AttributeValue>;

interface OpenSpan {
  readonly parent: TraceParent | undefined;
  readonly id: TraceParent;
  readonly name: string;
  readonly kind: Span["kind"];
  readonly startMs: number;
  readonly attributes: Attributes;
}

interface OpenRequest {
  readonly method: string;
  readonly params: Fields;
  readonly span: OpenSpan | undefined;
}

interface TracedSession {
  readonly parent: TraceParent | undefined;
  model: string | undefined;
  /** The running prompts, the newest last. */
  readonly prompts: OpenSpan[];
  readonly calls: Map<string, OpenSpan>;
}

export interface SpanFoldOptions {
  readonly onSpan: (span: Span) => void;
  /** Makes ids differ between recordings. */
  readonly seed: string;
  /** Whether titles of tool calls and paths become attributes. */
  readonly hasContent: boolean;
}

/** Open requests and tool calls that are remembered; older ones are ended as unfinished. */
const maxOpen = 10_000;

export class SpanFold {
  readonly #options: SpanFoldOptions;
  readonly #requests = { in: new Map<string, OpenRequest>(), out: new Map<string, OpenRequest>() };
  readonly #sessions = new Map<string, TracedSession>();
  #agent = "agent";
  #count = 0;
  #startMs = 0;
  #nowMs = 0;

  constructor(options: SpanFoldOptions) {
    this.#options = options;
  }

  row(row: Row): void {
    if (row.kind === "meta" && row.fields["start"] !== undefined)
      this.#startMs = Date.parse(textOf(row.fields["start"]) ?? "") || 0;
    this.#nowMs = this.#startMs + row.atMs;
    if (row.side !== "acp" || row.kind !== "message" || !isRecord(row.msg)) return;
    const { msg, dir } = row;
    const [method, params, id] = [textOf(msg["method"]), recordIn(msg, "params"), JSON.stringify(msg["id"])];
    if (method === undefined) this.#answer(dir === "in" ? "out" : "in", id, msg);
    else if (msg["id"] !== undefined) this.#request(dir, id, method, params);
    else if (method === "session/update") this.#update(params);
  }

  /** Ends what is still open, as unfinished. */
  end(): void {
    for (const side of ["out", "in"] as const) for (const id of this.#requests[side].keys()) this.#abandon(side, id);
    for (const session of this.#sessions.values())
      for (const [id, call] of session.calls) this.#endCall(session, id, call, "unfinished");
  }

  #request(dir: "in" | "out", id: string, method: string, params: Fields): void {
    const open = this.#requests[dir];
    if (open.size >= maxOpen) for (const first of [...open.keys()].slice(0, 1)) this.#abandon(dir, first);
    open.set(id, { method, params, span: this.#spanOf(method, params) });
  }

  #spanOf(method: string, params: Fields): OpenSpan | undefined {
    const sessionId = textOf(params["sessionId"]);
    const given = readTraceParent(recordIn(params, "_meta")["traceparent"]);
    const session = sessionId === undefined ? undefined : this.#sessions.get(sessionId);
    const attributes: Attributes = sessionId === undefined ? {} : { "gen_ai.conversation.id": sessionId };
    if (method === "session/prompt") {
      const span = this.#open(given ?? session?.parent, `invoke_agent ${this.#agent}`, "client", {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.agent.name": this.#agent,
        ...attributes,
        ...(session?.model !== undefined && { "gen_ai.request.model": session.model }),
      });
      session?.prompts.push(span);
      return span;
    }
    if (method === "session/request_permission") {
      const call = session?.calls.get(textOf(recordIn(params, "toolCall")["toolCallId"]) ?? "");
      return this.#open((call ?? session?.prompts.at(-1))?.id, "permission", "internal", attributes);
    }
    return /^session\/(new|load|resume|fork)$/.test(method)
      ? this.#open(given, method, "client", { "gen_ai.agent.name": this.#agent, ...attributes })
      : undefined;
  }

  #answer(dir: "in" | "out", id: string, msg: Fields): void {
    const request = this.#requests[dir].get(id);
    if (request === undefined) return;
    this.#requests[dir].delete(id);
    const { method, params, span } = request;
    const [result, error] = [recordIn(msg, "result"), msg["error"]];
    const code = isRecord(error) ? String(error["code"]) : undefined;
    if (method === "initialize") this.#agent = textOf(recordIn(result, "agentInfo")["name"]) ?? this.#agent;
    const sessionId = textOf(result["sessionId"]) ?? textOf(params["sessionId"]) ?? "";
    if (/^session\/(new|load|resume|fork)$/.test(method) && code === undefined) {
      const parent = readTraceParent(recordIn(params, "_meta")["traceparent"]);
      this.#sessions.set(sessionId, { parent, model: modelIn(result), prompts: [], calls: new Map() });
      if (span !== undefined) span.attributes["gen_ai.conversation.id"] = sessionId;
    }
    const session = this.#sessions.get(sessionId);
    if (session !== undefined) session.model = modelIn(result) ?? session.model;
    if (span === undefined) return;
    if (method === "session/prompt") this.#endPrompt(session, span, result, code);
    else {
      if (method === "session/request_permission")
        span.attributes["bowline.permission.answer"] = answerOf(params, result);
      this.#end(span, code);
    }
  }

  #endPrompt(session: TracedSession | undefined, span: OpenSpan, result: Fields, code: string | undefined): void {
    const usage = usageIn(result);
    const stop = textOf(result["stopReason"]);
    const { attributes } = span;
    if (stop !== undefined) attributes["gen_ai.response.finish_reasons"] = [stop];
    for (const [key, name] of usageNames) {
      const value = usage[key];
      if (typeof value === "number") attributes[name] = value;
    }
    const at = session?.prompts.indexOf(span) ?? -1;
    if (at >= 0) session?.prompts.splice(at, 1);
    this.#end(span, code);
  }

  #update(params: Fields): void {
    const update = recordIn(params, "update");
    const session = this.#sessions.get(textOf(params["sessionId"]) ?? "");
    if (session === undefined) return;
    switch (update["sessionUpdate"]) {
      case "config_option_update":
        session.model = modelIn(update) ?? session.model;
        return;
      case "tool_call":
      case "tool_call_update":
        return this.#toolCall(session, textOf(params["sessionId"]) ?? "", update);
      default:
    }
  }

  #toolCall(session: TracedSession, sessionId: string, update: Fields): void {
    const id = textOf(update["toolCallId"]) ?? "";
    const known = session.calls.get(id);
    const status = textOf(update["status"]);
    const prompt = session.prompts.at(-1);
    // A call outside of a prompt is part of a conversation that is loaded, and has no times.
    if (known === undefined && prompt === undefined) return;
    const call = known ?? this.#openCall(session, sessionId, id, update, prompt?.id);
    if (this.#options.hasContent) {
      const title = textOf(update["title"]);
      if (title !== undefined) call.attributes["bowline.tool.title"] = title;
      const paths = recordsIn(update, "locations").flatMap(({ path }) => textOf(path) ?? []);
      if (paths.length > 0) call.attributes["bowline.tool.paths"] = paths;
    }
    if (status === "completed") this.#endCall(session, id, call, undefined);
    if (status === "failed") this.#endCall(session, id, call, "failed");
  }

  #openCall(
    session: TracedSession,
    sessionId: string,
    id: string,
    update: Fields,
    parent: TraceParent | undefined,
  ): OpenSpan {
    const meta = recordIn(recordIn(update, "_meta"), "claudeCode");
    const kind = textOf(update["kind"]) ?? "other";
    const name = textOf(update["name"]) ?? textOf(meta["toolName"]) ?? kind;
    if (session.calls.size >= maxOpen)
      for (const [oldest, open] of [...session.calls].slice(0, 1)) this.#endCall(session, oldest, open, "unfinished");
    const call = this.#open(parent, `execute_tool ${name}`, "internal", {
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": name,
      "gen_ai.tool.call.id": id,
      "gen_ai.conversation.id": sessionId,
      "bowline.tool.kind": kind,
    });
    session.calls.set(id, call);
    return call;
  }

  #endCall(session: TracedSession, id: string, call: OpenSpan, error: string | undefined): void {
    session.calls.delete(id);
    this.#end(call, error);
  }

  #abandon(side: "in" | "out", id: string): void {
    const span = this.#requests[side].get(id)?.span;
    this.#requests[side].delete(id);
    if (span !== undefined) this.#end(span, "unfinished");
  }

  #open(parent: TraceParent | undefined, name: string, kind: Span["kind"], attributes: Attributes): OpenSpan {
    const number = String(this.#count++);
    const { seed } = this.#options;
    const id = {
      traceId: parent?.traceId ?? derivedId(16, "trace", seed, number),
      spanId: derivedId(8, "span", seed, number),
    };
    return { parent, id, name, kind, startMs: this.#nowMs, attributes };
  }

  #end({ parent, id, name, kind, startMs, attributes }: OpenSpan, error: string | undefined): void {
    const all = error === undefined ? attributes : { ...attributes, "error.type": error };
    this.#options.onSpan({
      ...id,
      parentSpanId: parent?.spanId,
      name,
      kind,
      startMs,
      endMs: Math.max(startMs, this.#nowMs),
      attributes: all,
      error,
    });
  }
}

const usageNames = [
  ["inputTokens", "gen_ai.usage.input_tokens"],
  ["outputTokens", "gen_ai.usage.output_tokens"],
  ["cachedReadTokens", "gen_ai.usage.cache_read.input_tokens"],
  ["cachedWriteTokens", "gen_ai.usage.cache_creation.input_tokens"],
] as const;

/** The kind of the chosen option, or `cancelled`. */
function answerOf(params: Fields, result: Fields): string {
  const outcome = recordIn(result, "outcome");
  if (outcome["outcome"] !== "selected") return "cancelled";
  const chosen = recordsIn(params, "options").find(({ optionId }) => optionId === outcome["optionId"]);
  return textOf(chosen?.["kind"]) ?? "unknown option";
}
