/**
 * Collects what `bowline expect` checks of a recorded or live run: tool calls, changed files,
 * permissions, stop reasons, time, tokens, cost and text.
 *
 * Reads only the messages between editor and agent. Unknown messages are ignored. A value that
 * the run does not report is undefined, never 0.
 */
import type { Row } from "../../tape/index.ts";
import { type Fields, isRecord, recordIn, recordsIn, textOf } from "../../schema/index.ts";
import { usageIn } from "../tapes/reported-usage.ts";

export interface ToolCallFact {
  readonly id: string;
  readonly title: string;
  readonly kind: string;
  readonly name: string;
  readonly status: string;
  /** Files of its diffs. */
  readonly changes: readonly string[];
  readonly paths: readonly string[];
}

export interface PermissionFact {
  readonly title: string;
  readonly kind: string;
  readonly name: string;
  /** The kind of the chosen option, `cancelled`, or `unanswered`. */
  readonly answer: string;
}

export interface RunFacts {
  readonly toolCalls: readonly ToolCallFact[];
  readonly filesChanged: readonly string[];
  readonly permissions: readonly PermissionFact[];
  /** For each prompt: its stop reason, `error: <message>`, or `unanswered`. */
  readonly stops: readonly string[];
  readonly seconds: number;
  readonly tokens: number | undefined;
  readonly cost: number | undefined;
  /** All text of the agent's messages. */
  readonly text: string;
  /** Every line of the agent. */
  readonly lines: readonly string[];
}

interface AskedRequest {
  readonly method: string;
  readonly params: Fields;
  readonly atMs: number;
  stop: string;
}

export function runFacts(rows: readonly Row[]): RunFacts {
  const calls = new Map<string, ToolCallFact>();
  const asked = { in: new Map<string, AskedRequest>(), out: new Map<string, AskedRequest>() };
  const prompts: AskedRequest[] = [];
  const permissions: (PermissionFact & { answer: string })[] = [];
  const permissionOf = new Map<AskedRequest, PermissionFact & { answer: string }>();
  const written = new Set<string>();
  const costs = new Map<string, number>();
  const contexts = new Map<string, number>();
  const lines: string[] = [];
  let [text, seconds] = ["", 0];
  let totalTokens: number | undefined;

  for (const row of rows) {
    if (row.side !== "acp" || row.kind !== "message") continue;
    if (row.dir === "out") lines.push(row.line);
    const { msg, dir, atMs } = row;
    if (!isRecord(msg)) continue;
    const method = textOf(msg["method"]);
    const id = JSON.stringify(msg["id"]);
    if (method === undefined) onAnswer(dir, id, msg, atMs);
    else if (method === "session/update") onUpdate(recordIn(msg, "params"));
    else if (msg["id"] !== undefined)
      onRequest(dir, id, { method, params: recordIn(msg, "params"), atMs, stop: "unanswered" });
  }
  const edited = [...calls.values()].filter(({ status }) => status === "completed").flatMap(({ changes }) => changes);
  return {
    toolCalls: [...calls.values()],
    filesChanged: [...new Set([...edited, ...written])],
    permissions,
    stops: prompts.map(({ stop }) => stop),
    seconds,
    tokens: totalTokens ?? sum(contexts),
    cost: sum(costs),
    text,
    lines,
  };

  function onRequest(dir: "in" | "out", id: string, request: AskedRequest): void {
    asked[dir].set(id, request);
    if (request.method === "session/prompt") prompts.push(request);
    if (request.method !== "session/request_permission") return;
    const call = callOf(recordIn(request.params, "toolCall"));
    const known = calls.get(call.id);
    const fact = {
      title: call.title || (known?.title ?? ""),
      kind: call.kind === "other" ? (known?.kind ?? "other") : call.kind,
      name: call.name || (known?.name ?? ""),
      answer: "unanswered",
    };
    permissions.push(fact);
    permissionOf.set(request, fact);
  }

  function onAnswer(dir: "in" | "out", id: string, msg: Fields, atMs: number): void {
    const questions = asked[dir === "in" ? "out" : "in"];
    const request = questions.get(id);
    if (request === undefined) return;
    questions.delete(id);
    const error = msg["error"];
    const result = recordIn(msg, "result");
    if (request.method === "session/prompt") {
      seconds += Math.max(0, atMs - request.atMs) / 1000;
      request.stop = isRecord(error)
        ? `error: ${textOf(error["message"]) ?? ""}`
        : (textOf(result["stopReason"]) ?? "unanswered");
      const tokens = usageIn(result)["totalTokens"];
      if (typeof tokens === "number") totalTokens = (totalTokens ?? 0) + tokens;
    }
    if (request.method === "fs/write_text_file" && error === undefined)
      written.add(textOf(request.params["path"]) ?? "");
    const permission = permissionOf.get(request);
    if (permission !== undefined) permission.answer = answerOf(request.params, recordIn(result, "outcome"));
  }

  function onUpdate(params: Fields): void {
    const update = recordIn(params, "update");
    const sessionId = textOf(params["sessionId"]) ?? "";
    switch (update["sessionUpdate"]) {
      case "agent_message_chunk":
        text += textOf(recordIn(update, "content")["text"]) ?? "";
        return;
      case "tool_call":
      case "tool_call_update": {
        const call = callOf(update);
        const before = calls.get(call.id);
        calls.set(call.id, before === undefined ? call : merged(before, call, update));
        return;
      }
      case "usage_update": {
        const { used, cost } = update;
        if (typeof used === "number") contexts.set(sessionId, Math.max(used, contexts.get(sessionId) ?? 0));
        const amount = isRecord(cost) ? cost["amount"] : undefined;
        if (typeof amount === "number") costs.set(sessionId, amount);
        return;
      }
      default:
    }
  }
}

function callOf(fields: Fields): ToolCallFact {
  const content = recordsIn(fields, "content");
  const locations = recordsIn(fields, "locations");
  const paths = (from: readonly Fields[]): readonly string[] => from.flatMap(({ path }) => textOf(path) ?? []);
  return {
    id: textOf(fields["toolCallId"]) ?? "",
    title: textOf(fields["title"]) ?? "",
    kind: textOf(fields["kind"]) ?? "other",
    name: textOf(fields["name"]) ?? metaName(fields) ?? "",
    status: textOf(fields["status"]) ?? "pending",
    changes: paths(content.filter(({ type }) => type === "diff")),
    paths: paths(locations),
  };
}

/** The name of the tool where other agents put it. */
function metaName(fields: Fields): string | undefined {
  return textOf(recordIn(recordIn(fields, "_meta"), "claudeCode")["toolName"]);
}

function merged(before: ToolCallFact, change: ToolCallFact, given: Fields): ToolCallFact {
  return {
    id: before.id,
    title: change.title || before.title,
    kind: textOf(given["kind"]) ?? before.kind,
    name: change.name || before.name,
    status: textOf(given["status"]) ?? before.status,
    changes: [...new Set([...before.changes, ...change.changes])],
    paths: [...new Set([...before.paths, ...change.paths])],
  };
}

function answerOf(params: Fields, outcome: Fields): string {
  if (outcome["outcome"] !== "selected") return "cancelled";
  const options = recordsIn(params, "options");
  return textOf(options.find(({ optionId }) => optionId === outcome["optionId"])?.["kind"]) ?? "unknown option";
}

function sum(values: ReadonlyMap<string, number>): number | undefined {
  return values.size === 0 ? undefined : [...values.values()].reduce((total, one) => total + one, 0);
}
