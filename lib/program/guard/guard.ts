/**
 * A proxy between an editor and an agent that answers permission requests by a policy.
 *
 * Permission requests, and requests of the agent for files and terminals of the editor,
 * are decided before the editor sees them: allowed once, denied, or passed on as a
 * question. A turn that calls a denied tool without asking is cancelled: at once when the
 * call has ended, and after a second while it runs, since agents report that a call runs
 * before they ask. A line of the agent that is no single JSON object is not passed on.
 * Messages are passed on as they were parsed, so that both sides read the same.
 */
import { randomUUID } from "node:crypto";
import { type Fields, isRecord, recordIn, recordsIn, textOf } from "../../schema/index.ts";
import { type Link, parseBoundedJson, type Schedule } from "../../wire/index.ts";
import type { DecisionLog } from "./decision-log.ts";
import { clientRequestOf, type GuardedCall, toolCallOf } from "./guarded-call.ts";
import { type KnownCall, KnownCalls } from "./known-calls.ts";
import { decide, type Decision, type Policy } from "./policy.ts";

export interface GuardOptions {
  readonly editor: Link;
  /** Who answers behind the editor's link, as the log names it. */
  readonly answerer?: "editor" | "editor or page" | undefined;
  readonly agent: Link;
  readonly policy: Policy;
  readonly log: DecisionLog;
  readonly after: Schedule;
  readonly report: (sentence: string) => void;
}

/** A question that the editor has not answered. */
interface GuardedQuestion {
  /** Answers the agent's request. */
  readonly answer: (isAllowed: boolean, response?: Fields) => void;
  readonly cancelTimer: () => void;
  readonly options: readonly Fields[];
  readonly call: GuardedCall;
  readonly sessionId: string | undefined;
}

/** A turn that is cancelled soon, because of a call that is reported as running. */
interface PendingCut {
  readonly sessionId: string | undefined;
  readonly run: () => void;
  readonly cancel: () => void;
}

/** Why a request that a rule allows is not allowed by the guard. */
function whyUserDecides(asked: Fields, hasSingle: boolean, { otherwise = "ask" }: Policy): Decision | undefined {
  if (recordIn(recordIn(asked, "_meta"), "bowline")["forUser"] === true)
    return { effect: otherwise, by: "the question is about no tool" };
  return hasSingle ? undefined : { effect: "ask", by: "the agent offers no single permission" };
}

const deniedCode = -32_600;
/** Requests of the editor whose answer is read, and late answers: the oldest is dropped first. */
const maxPending = 1000;
/** The time in which a call that is reported as running must ask, or end after a denial. OpenCode asks after 0.2 s. */
const askGraceMs = 1000;

/** Resolves with the reason when either side is gone. */
export function guard({
  editor,
  answerer = "editor",
  agent,
  policy,
  log,
  after,
  report,
}: GuardOptions): Promise<string> {
  const calls = new KnownCalls();
  const cwds = new Map<string, string>();
  /** The directories of sessions that the editor opens, by the id of its request. */
  const opening = new Map<string, string>();
  /** The sessions of the prompts that run, by the id of the editor's request. */
  const prompting = new Map<string, string>();
  const open = new Map<string, GuardedQuestion>();
  const cuts = new Map<KnownCall, PendingCut>();
  /** Questions that were answered for the editor; its late answer is not passed on. */
  const late = new Set<string>();

  const toEditor = (message: Fields): void => void (editor.send(JSON.stringify(message)) || agent.pause());
  const toAgent = (message: Fields): void => void (agent.send(JSON.stringify(message)) || editor.pause());

  return new Promise((resolve) => {
    const finish = (reason: string): void => {
      for (const { cancelTimer } of open.values()) cancelTimer();
      for (const { cancel } of cuts.values()) cancel();
      editor.close(reason);
      agent.close(reason);
      resolve(reason);
    };
    agent.open({
      onLine: onAgentLine,
      onFault: () => report("a line of the agent could not be read and is not passed on"),
      onDrain: () => editor.resume(),
      onEnd: () => {},
      onClose: finish,
    });
    editor.open({
      onLine: onEditorLine,
      onFault: () => report("a line of the editor could not be read and is not passed on"),
      onDrain: () => agent.resume(),
      onEnd: () => agent.close("the editor has left"),
      onClose: () => agent.close("the editor has left"),
    });
  });

  function onAgentLine(line: string): void {
    const message = parseBoundedJson(line);
    if (!isRecord(message)) {
      note({ effect: "deny", by: "a line of the agent is no message" }, unknownCall, undefined);
      return report("a line of the agent is no single message and is not passed on");
    }
    const method = textOf(message["method"]);
    const params = recordIn(message, "params");
    if (method === undefined) return onAgentAnswer(message);
    if (method === "session/update") return onUpdate(message, params);
    const call = clientRequestOf(method, params);
    if (message["id"] === undefined) {
      if (call === undefined) return toEditor(message);
      // The answer would reach no one, and an editor may run the call anyway.
      note({ effect: "deny", by: "a request without an id" }, call, textOf(params["sessionId"]));
      return report("a request of the agent without an id is not passed on");
    }
    if (method === "session/request_permission") return onPermission(message, params);
    return call === undefined ? toEditor(message) : onClientRequest(message, params, call);
  }

  function onAgentAnswer(message: Fields): void {
    const key = keyOf(message["id"]);
    const cwd = opening.get(key);
    opening.delete(key);
    const prompted = prompting.get(key);
    prompting.delete(key);
    if (prompted !== undefined) endTurn(prompted);
    const sessionId = textOf(recordIn(message, "result")["sessionId"]);
    if (cwd !== undefined && sessionId !== undefined) cwds.set(sessionId, cwd);
    toEditor(message);
  }

  function onUpdate(message: Fields, params: Fields): void {
    const update = recordIn(params, "update");
    const isCall = update["sessionUpdate"] === "tool_call" || update["sessionUpdate"] === "tool_call_update";
    const id = textOf(update["toolCallId"]);
    toEditor(message);
    if (!isCall || id === undefined) return;
    const sessionId = textOf(params["sessionId"]);
    const known = calls.take(sessionId ?? "", id, update, update["sessionUpdate"] === "tool_call");
    const { status } = update;
    const pending = cuts.get(known);
    // A call that was asked about and denied has ended as it should.
    if (status === "failed") return known.isDenied ? pending?.cancel() : pending?.run();
    if ((status !== "in_progress" && status !== "completed") || known.isSettled) return;
    const call = toolCallOf(known.fields, cwdOf(sessionId));
    const decision = decide(policy, call, cwdOf(sessionId));
    if (decision.effect !== "deny") return;
    const cut = pending ?? cutSoon(known, call, decision, sessionId);
    if (status === "completed") cut.run();
  }

  function cutSoon(known: KnownCall, call: GuardedCall, decision: Decision, sessionId: string | undefined): PendingCut {
    const cancel = (): void => {
      cancelTimer();
      cuts.delete(known);
    };
    const run = (): void => {
      cancel();
      known.isSettled = true;
      note({ ...decision, effect: "cut" }, call, sessionId);
      report("the agent calls a denied tool without asking; its turn is cancelled");
      toAgent({ jsonrpc: "2.0", method: "session/cancel", params: { sessionId } });
    };
    const cancelTimer = after(askGraceMs, run);
    const cut = { sessionId, run, cancel };
    cuts.set(known, cut);
    return cut;
  }

  function endTurn(sessionId: string): void {
    calls.endTurn(sessionId);
    for (const cut of cuts.values()) if (cut.sessionId === sessionId) cut.run();
  }

  function onPermission(message: Fields, params: Fields): void {
    const asked = recordIn(params, "toolCall");
    const callId = textOf(asked["toolCallId"]) ?? "";
    const sessionId = textOf(params["sessionId"]);
    const known = calls.take(sessionId ?? "", callId, asked, calls.hasEnded(sessionId ?? "", callId));
    // Asking again is no way to go on after a denial.
    if (!known.isDenied) cuts.get(known)?.cancel();
    const call = toolCallOf(known.fields, cwdOf(sessionId));
    const options = recordsIn(params, "options");
    const allow = options.find(({ kind }) => kind === "allow_once");
    const decided = decide(policy, call, cwdOf(sessionId));
    const decision =
      decided.effect === "allow" ? (whyUserDecides(asked, allow !== undefined, policy) ?? decided) : decided;
    const reject = options.find(({ kind }) => kind === "reject_once");
    const answer = (isAllowed: boolean, response?: Fields): void => {
      if (isAllowed) known.isSettled = true;
      else known.isDenied = true;
      const chosen = isAllowed ? allow : reject;
      const outcome =
        chosen === undefined ? { outcome: "cancelled" } : { outcome: "selected", optionId: chosen["optionId"] };
      toAgent(response ?? { jsonrpc: "2.0", id: message["id"], result: { outcome } });
    };
    apply(decision, call, sessionId, answer, () => ask(message, message["id"], { call, sessionId, options, answer }));
  }

  /** A request for a file or a terminal of the editor: a question is asked before it is passed on. */
  function onClientRequest(message: Fields, params: Fields, call: GuardedCall): void {
    const sessionId = textOf(params["sessionId"]);
    const answer = (isAllowed: boolean): void => {
      if (isAllowed) return toEditor(message);
      const error = { code: deniedCode, message: "denied by the policy of bowline guard" };
      toAgent({ jsonrpc: "2.0", id: message["id"], error });
    };
    apply(decide(policy, call, cwdOf(sessionId)), call, sessionId, answer, () => {
      // Unguessable: an agent must not be able to ask a question of its own with the same id.
      const id = `bowline-guard-${randomUUID()}`;
      const { title, kind } = call;
      const asked = { sessionId, toolCall: { toolCallId: id, title, kind, status: "pending" }, options: ownOptions };
      const question = { jsonrpc: "2.0", id, method: "session/request_permission", params: asked };
      ask(question, id, { call, sessionId, options: ownOptions, answer });
    });
  }

  function apply(
    decision: Decision,
    call: GuardedCall,
    sessionId: string | undefined,
    answer: (isAllowed: boolean) => void,
    askEditor: () => void,
  ): void {
    const isLogged = note(decision, call, sessionId);
    if (!isLogged || decision.effect === "deny") return answer(false);
    if (decision.effect === "allow") return answer(true);
    askEditor();
  }

  function ask(
    question: Fields,
    id: unknown,
    { call, sessionId, options, answer }: Omit<GuardedQuestion, "cancelTimer">,
  ): void {
    const key = keyOf(id);
    const { timeout } = policy;
    const cancelTimer =
      timeout === undefined
        ? () => {}
        : after(timeout * 1000, () => {
            open.delete(key);
            late.add(key);
            const [oldest] = late;
            if (late.size > maxPending && oldest !== undefined) late.delete(oldest);
            note({ effect: "deny", by: "timeout" }, call, sessionId);
            toEditor({ jsonrpc: "2.0", method: "$/cancel_request", params: { requestId: id } });
            answer(false);
          });
    open.set(key, { answer, cancelTimer, options, call, sessionId });
    toEditor(question);
  }

  function onEditorLine(line: string): void {
    const message = parseBoundedJson(line);
    if (!isRecord(message)) return void (agent.send(line) || editor.pause());
    const method = textOf(message["method"]);
    if (method === undefined) return onEditorAnswer(message);
    if (/^session\/(?:new|load|resume|fork)$/.test(method)) {
      const params = recordIn(message, "params");
      const cwd = textOf(params["cwd"]);
      const sessionId = textOf(params["sessionId"]);
      if (cwd !== undefined) keep(opening, keyOf(message["id"]), cwd);
      if (cwd !== undefined && sessionId !== undefined && method !== "session/fork") cwds.set(sessionId, cwd);
    }
    const prompted = method === "session/prompt" ? textOf(recordIn(message, "params")["sessionId"]) : undefined;
    if (prompted !== undefined) keep(prompting, keyOf(message["id"]), prompted);
    toAgent(message);
  }

  function onEditorAnswer(message: Fields): void {
    const key = keyOf(message["id"]);
    if (late.delete(key)) return;
    const question = open.get(key);
    if (question === undefined) return toAgent(message);
    open.delete(key);
    question.cancelTimer();
    const outcome = recordIn(recordIn(message, "result"), "outcome");
    const chosen = question.options.find(({ optionId }) => optionId === outcome["optionId"]);
    const isAllowed = outcome["outcome"] === "selected" && textOf(chosen?.["kind"])?.startsWith("allow") === true;
    const isLogged = note({ effect: isAllowed ? "allow" : "deny", by: answerer }, question.call, question.sessionId);
    // The user's own choice reaches the agent as it is, with its option.
    question.answer(isAllowed && isLogged, isLogged ? message : undefined);
  }

  function cwdOf(sessionId: string | undefined): string | undefined {
    return sessionId === undefined ? undefined : cwds.get(sessionId);
  }

  /** False when the decision could not be logged; then nothing is allowed. */
  function note(
    decision: { readonly effect: string; readonly by: string },
    call: GuardedCall,
    session: string | undefined,
  ): boolean {
    const { kind, tool, title, servers, paths, command } = call;
    const isWritten = log.append({
      decision: decision.effect,
      by: decision.by,
      session,
      kind,
      tool,
      title: command === undefined ? title : undefined,
      servers,
      paths,
      command,
    });
    if (!isWritten) report("the decision could not be logged; it is denied");
    return isWritten;
  }
}

const unknownCall: GuardedCall = {
  title: "",
  kind: "other",
  isKindTold: false,
  tool: undefined,
  servers: [],
  paths: [],
  mentioned: [],
  command: undefined,
  directories: [],
};

const ownOptions = [
  { optionId: "allow", name: "Allow", kind: "allow_once" },
  { optionId: "reject", name: "Reject", kind: "reject_once" },
] as const;

function keep(map: Map<string, string>, key: string, value: string): void {
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > maxPending && oldest !== undefined) map.delete(oldest);
}

function keyOf(id: unknown): string {
  return JSON.stringify(id) ?? "";
}
