/**
 * Adds up the tokens and costs of the sessions of a tape.
 *
 * A tape of `bowline record` has Claude's own result of each turn, with tokens and cost by
 * model. Any other tape has the fields of ACP: tokens of a prompt, the cost of the
 * session, and a model where the agent offers one as an option.
 */
import { type Fields, isRecord, recordIn, textOf } from "../../schema/index.ts";
import type { Row } from "../../tape/index.ts";
import { modelIn, usageIn } from "../tapes/reported-usage.ts";
import { countIn, dayOf } from "./json-lines.ts";
import type { Spending } from "./spending.ts";

export function tapeSpending(rows: readonly Row[]): readonly Spending[] {
  const begun = rows.find((row) => row.kind === "meta" && row.fields["start"] !== undefined);
  const start = begun?.kind === "meta" ? Date.parse(textOf(begun.fields["start"]) ?? "") : Number.NaN;
  const claude = claudeResults(rows, start);
  return claude.length > 0 ? claude : promptResponses(rows, start);
}

/** The last result of each session; it has the sums of the session. */
function claudeResults(rows: readonly Row[], start: number): readonly Spending[] {
  const projects = new Map<string, string>();
  const results = new Map<string, { readonly result: Fields; readonly day: string }>();
  for (const row of rows) {
    if (row.side !== "claude" || row.kind !== "message" || row.dir !== "out" || !isRecord(row.msg)) continue;
    const session = textOf(row.msg["session_id"]) ?? row.session ?? "";
    if (row.msg["type"] === "system")
      projects.set(session, textOf(row.msg["cwd"]) ?? projects.get(session) ?? "unknown");
    if (row.msg["type"] === "result") results.set(session, { result: row.msg, day: dayOf(start + row.atMs) });
  }
  return [...results].flatMap(([session, { result, day }]) => {
    const models = recordIn(result, "modelUsage");
    return Object.keys(models).map((model): Spending => {
      const usage = recordIn(models, model);
      return {
        engine: "claude",
        day,
        project: projects.get(session) ?? "unknown",
        model,
        session,
        input: countIn(usage, "inputTokens"),
        output: countIn(usage, "outputTokens"),
        cacheRead: countIn(usage, "cacheReadInputTokens"),
        cacheWrite: countIn(usage, "cacheCreationInputTokens"),
        cost: dollarsIn(usage, "costUSD"),
      };
    });
  });
}

interface SpendingSession {
  project: string;
  model: string;
  engine: string;
  /** The cost of the session so far, as the agent reported it. */
  cost: number | undefined;
  /** The part of it that belongs to prompts that were answered. */
  counted: number;
}

function promptResponses(rows: readonly Row[], start: number): readonly Spending[] {
  const sessions = new Map<string, SpendingSession>();
  const asked = new Map<string, { readonly method: string; readonly params: Fields }>();
  const spendings: Spending[] = [];
  let [agent, lastDay] = ["unknown", "unknown"];
  for (const row of rows) {
    if (row.side !== "acp" || row.kind !== "message" || !isRecord(row.msg)) continue;
    const { msg } = row;
    lastDay = dayOf(start + row.atMs);
    const [method, params, id] = [textOf(msg["method"]), recordIn(msg, "params"), JSON.stringify(msg["id"])];
    if (row.dir === "in" && method !== undefined) asked.set(id, { method, params });
    else if (method === "session/update") onUpdate(params);
    else if (method === undefined && row.dir === "out") onAnswer(id, recordIn(msg, "result"), lastDay);
  }
  // Usage that an agent reported only after its last answer.
  for (const [id, session] of sessions) if ((session.cost ?? 0) > session.counted) onPrompt(id, session, {}, lastDay);
  return spendings;

  function onAnswer(id: string, result: Fields, day: string): void {
    const request = asked.get(id);
    asked.delete(id);
    if (request === undefined) return;
    const { method, params } = request;
    if (method === "initialize") agent = textOf(recordIn(result, "agentInfo")["name"]) ?? agent;
    const sessionId = textOf(result["sessionId"]) ?? textOf(params["sessionId"]) ?? "";
    if (/^session\/(new|load|resume|fork)$/.test(method)) {
      const model = modelIn(result) ?? "unknown";
      const project = textOf(params["cwd"]) ?? "unknown";
      sessions.set(sessionId, { project, model, engine: agent, cost: undefined, counted: 0 });
    }
    const session = sessions.get(sessionId);
    if (method === "session/set_config_option" && session !== undefined)
      session.model = modelIn(result) ?? session.model;
    if (method === "session/prompt" && session !== undefined) onPrompt(sessionId, session, usageIn(result), day);
  }

  function onPrompt(sessionId: string, session: SpendingSession, usage: Fields, day: string): void {
    const { project, model, engine, cost, counted } = session;
    session.counted = cost ?? counted;
    spendings.push({
      engine,
      day,
      project,
      model,
      session: sessionId,
      input: countIn(usage, "inputTokens"),
      output: countIn(usage, "outputTokens"),
      cacheRead: countIn(usage, "cachedReadTokens"),
      cacheWrite: countIn(usage, "cachedWriteTokens"),
      cost: cost === undefined ? undefined : Math.max(0, cost - counted),
    });
  }

  function onUpdate(params: Fields): void {
    const update = recordIn(params, "update");
    const session = sessions.get(textOf(params["sessionId"]) ?? "");
    if (session === undefined || update["sessionUpdate"] !== "usage_update") return;
    session.cost = dollarsIn(recordIn(update, "cost"), "amount") ?? session.cost;
  }
}

function dollarsIn(fields: Fields, key: string): number | undefined {
  const value = fields[key];
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : undefined;
}
