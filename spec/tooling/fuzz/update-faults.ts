/**
 * Finds what is wrong with the updates of a random run, from the wire alone.
 */
import type { WireLine } from "../../support/live/agent-program.ts";
import { at, textAt } from "../../support/json.ts";
import { SessionNotification } from "../../../lib/acp/index.ts";
import type { RandomCli } from "./random-cli.ts";

export function updateFaults(wire: readonly WireLine[], runs: readonly RandomCli[]): readonly string[] {
  return [
    ...shapeFaults(wire),
    ...orderFaults(wire),
    ...wordFaults(wire, runs),
    ...callFaults(wire),
    ...leftOpen(wire, runs),
  ];
}

/** Every update is read by its schema as the same object. */
export function shapeFaults(wire: readonly WireLine[]): readonly string[] {
  return updatesOf(wire).flatMap(({ params }) =>
    SessionNotification.read(params) === params ? [] : [`an update that does not hold: ${JSON.stringify(params)}`],
  );
}

/** A session has no updates before it was opened, nor after it was closed. */
function orderFaults(wire: readonly WireLine[]): readonly string[] {
  const known = new Set<string>();
  const closing = new Map<string, string>();
  const faults: string[] = [];
  for (const { from, message } of wire) {
    const id = JSON.stringify(message?.["id"]);
    if (from === "client") {
      const sessionId = textAt(message, "params.sessionId");
      // session/load replays the past before it answers.
      if (/^session\/(?:load|resume)$/.test(textAt(message, "method"))) known.add(sessionId);
      if (message?.["method"] === "session/close") closing.set(id, sessionId);
      else closing.delete(id);
      continue;
    }
    const opened = textAt(message, "result.sessionId");
    if (opened !== "") known.add(opened);
    if (message?.["method"] !== "session/update") continue;
    const sessionId = textAt(message, "params.sessionId");
    if (!known.has(sessionId)) faults.push(`${sessionId} is heard of before it is known`);
  }
  return faults;
}

/** Each word is shown at most once, in order, and in the session of the CLI that sent it. */
function wordFaults(wire: readonly WireLine[], runs: readonly RandomCli[]): readonly string[] {
  const faults: string[] = [];
  const last = new Map<string, number>();
  const seen = new Set<string>();
  for (const { sessionId, update } of updatesOf(wire)) {
    if (at(update, "sessionUpdate") !== "agent_message_chunk") continue;
    for (const [token, digits] of textAt(update, "content.text").matchAll(/⟦(\d+)⟧/g)) {
      if (seen.has(token)) faults.push(`${token} is shown twice`);
      seen.add(token);
      if (Number(digits) < (last.get(sessionId) ?? 0)) faults.push(`${token} is shown out of order`);
      last.set(sessionId, Number(digits));
    }
    for (const [, uuid] of textAt(update, "content.text").matchAll(/tame ([0-9a-f-]+)/g)) {
      const isSaid = runs.some(({ prompts }) => prompts.some((prompt) => prompt["uuid"] === uuid));
      if (!isSaid) faults.push(`${uuid} was never said`);
    }
  }
  return faults;
}

/** A tool call is announced before it changes, does not change after its end, and has ended when its session has. */
export function callFaults(wire: readonly WireLine[]): readonly string[] {
  const faults: string[] = [];
  const calls = new Map<string, "open" | "ended">();
  for (const { sessionId, update } of updatesOf(wire)) {
    const id = `${sessionId} ${textAt(update, "toolCallId")}`;
    if (at(update, "sessionUpdate") === "tool_call") {
      if (calls.get(id) === "open") faults.push(`${id} is announced twice`);
      calls.set(id, "open");
    } else if (at(update, "sessionUpdate") === "tool_call_update") {
      if (calls.get(id) === "ended") faults.push(`${id} changes after its end`);
      if (/^(?:completed|failed)$/.test(textAt(update, "status"))) calls.set(id, "ended");
    }
  }
  return faults;
}

/**
 * When all prompts of a session are answered, the calls announced since the CLI had
 * the first have ended. What was moved to the background goes on, and what belongs
 * to it.
 */
function leftOpen(wire: readonly WireLine[], runs: readonly RandomCli[]): readonly string[] {
  const background = new Set(runs.flatMap(({ ownCalls }) => [...ownCalls]));
  const faults: string[] = [];
  /** By session: how many prompts wait, and the calls that are open. */
  const prompts = new Map<string, number>();
  const open = new Map<string, Set<string>>();
  const asked = new Map<string, string[]>();
  const sessions = new Map<string, string>();
  const running = new Set<string>();
  for (const { from, message } of wire) {
    const id = JSON.stringify(message?.["id"]);
    const sessionId = textAt(message, "params.sessionId");
    if (from === "client" && message?.["method"] !== undefined && message["id"] !== undefined) {
      const isPrompt = message["method"] === "session/prompt";
      asked.set(id, [...(asked.get(id) ?? []), isPrompt ? sessionId : ""]);
      if (isPrompt) prompts.set(sessionId, (prompts.get(sessionId) ?? 0) + 1);
      if (isPrompt) sessions.set(textAt(message, "params.prompt.0.text"), sessionId);
    }
    if (message?.["taken"] !== undefined) running.add(sessions.get(textAt(message, "taken")) ?? "");
    if (from === "client") continue;
    const update = message?.["method"] === "session/update" ? at(message, "params.update") : undefined;
    const call = textAt(update, "toolCallId");
    const parent = textAt(update, "_meta.claudeCode.parentToolUseId");
    const calls = open.get(sessionId) ?? new Set();
    open.set(sessionId, calls);
    if (at(update, "sessionUpdate") === "tool_call" && running.has(sessionId)) {
      if (!background.has(call) && !background.has(parent)) calls.add(call);
    } else if (/^(?:completed|failed)$/.test(textAt(update, "status"))) {
      calls.delete(call);
    }
    if (message?.["method"] !== undefined) continue;
    const [answered, ...others] = asked.get(id) ?? [];
    if (answered === undefined || answered === "") continue;
    // An id that is used twice cannot be attributed, and a request that cannot be read has no id to answer.
    if (others.length > 0 || id === "null") return faults;
    const left = (prompts.get(answered) ?? 1) - 1;
    prompts.set(answered, left);
    if (left > 0) continue;
    running.delete(answered);
    for (const one of open.get(answered) ?? []) faults.push(`${one} is open after the answer`);
  }
  return faults;
}

interface Told {
  readonly sessionId: string;
  readonly params: unknown;
  readonly update: unknown;
}

function updatesOf(wire: readonly WireLine[]): readonly Told[] {
  return wire.flatMap(({ from, message }) =>
    from === "agent" && message?.["method"] === "session/update"
      ? [
          {
            sessionId: textAt(message, "params.sessionId"),
            params: message["params"],
            update: at(message, "params.update"),
          },
        ]
      : [],
  );
}
