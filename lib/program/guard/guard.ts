/**
 * A proxy between an editor and an agent that answers permission requests by a policy.
 *
 * Permission requests, and requests of the agent for files and terminals of the editor,
 * are decided before the editor sees them: allowed once, denied, or passed on as a
 * question. A turn that calls a denied tool without asking is cancelled. A line of the
 * agent that is no single JSON object is not passed on. Messages are passed on as they
 * were parsed, so that both sides read the same.
 */
import { isRecord, recordIn, recordsIn, textOf } from "../../schema/index.ts";
import { type Link, parseJson, type Schedule } from "../../wire/index.ts";
import type { DecisionLog } from "./decision-log.ts";
import { clientRequestOf, type Fields, type GuardedCall, toolCallOf } from "./guarded-call.ts";
import { decide, type Decision, type Policy } from "./policy.ts";

export interface GuardOptions {
  readonly editor: Link;
  readonly agent: Link;
  readonly policy: Policy;
  readonly log: DecisionLog;
  readonly after: Schedule;
  readonly report: (sentence: string) => void;
}

/** A question that the editor has not answered. */
interface OpenQuestion {
  /** Answers the agent's request. */
  readonly answer: (isAllowed: boolean, response?: Fields) => void;
  readonly cancelTimer: () => void;
  readonly options: readonly Fields[];
  readonly call: GuardedCall;
  readonly sessionId: string | undefined;
}

const ownIdStart = "bowline-guard-";
const deniedCode = -32_600;
/** Tool calls remembered, so that a permission request can refer to one; the oldest is forgotten first. */
const maxCalls = 10_000;

/** Resolves with the reason when either side is gone. */
export function guard({ editor, agent, policy, log, after, report }: GuardOptions): Promise<string> {
  const calls = new Map<string, Fields>();
  const cwds = new Map<string, string>();
  const opening = new Map<string, string>();
  const open = new Map<string, OpenQuestion>();
  /** Questions that were answered for the editor; its late answer is not passed on. */
  const late = new Set<string>();
  /** Calls that were allowed, by a rule or by the user. */
  const permitted = new Set<string>();
  let ownIds = 0;

  const toEditor = (message: Fields): void => void (editor.send(JSON.stringify(message)) || agent.pause());
  const toAgent = (message: Fields): void => void (agent.send(JSON.stringify(message)) || editor.pause());

  return new Promise((resolve) => {
    const finish = (reason: string): void => {
      for (const { cancelTimer } of open.values()) cancelTimer();
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
    const message = parseJson(line);
    if (!isRecord(message)) {
      note({ effect: "deny", by: "a line of the agent is no message" }, unknownCall, undefined);
      return report("a line of the agent is no single message and is not passed on");
    }
    const method = textOf(message["method"]);
    const params = recordIn(message, "params");
    if (method === undefined) return onAgentAnswer(message);
    if (method === "session/update") return onUpdate(message, params);
    if (message["id"] === undefined) return toEditor(message);
    if (method === "session/request_permission") return onPermission(message, params);
    const call = clientRequestOf(method, params);
    return call === undefined ? toEditor(message) : onClientRequest(message, params, call);
  }

  function onAgentAnswer(message: Fields): void {
    const key = keyOf(message["id"]);
    const cwd = opening.get(key);
    opening.delete(key);
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
    const call = remember(id, update);
    const isRunning = update["status"] === "in_progress" || update["status"] === "completed";
    if (!isRunning || permitted.has(id)) return;
    const decision = decide(policy, call, cwdOf(sessionId));
    if (decision.effect !== "deny") return;
    permitted.add(id);
    note({ ...decision, effect: "cut" }, call, sessionId);
    report("the agent calls a denied tool without asking; its turn is cancelled");
    toAgent({ jsonrpc: "2.0", method: "session/cancel", params: { sessionId } });
  }

  function onPermission(message: Fields, params: Fields): void {
    const asked = recordIn(params, "toolCall");
    const callId = textOf(asked["toolCallId"]) ?? "";
    const call = remember(callId, asked);
    const sessionId = textOf(params["sessionId"]);
    const options = recordsIn(params, "options");
    const allow = options.find(({ kind }) => kind === "allow_once");
    const decided = decide(policy, call, cwdOf(sessionId));
    const decision: Decision =
      decided.effect === "allow" && allow === undefined
        ? { effect: "ask", by: "the agent offers no single permission" }
        : decided;
    const reject = options.find(({ kind }) => kind === "reject_once");
    const answer = (isAllowed: boolean, response?: Fields): void => {
      if (isAllowed) permitted.add(callId);
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
      const id = `${ownIdStart}${++ownIds}`;
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
    { call, sessionId, options, answer }: Omit<OpenQuestion, "cancelTimer">,
  ): void {
    const key = keyOf(id);
    const { timeout } = policy;
    const cancelTimer =
      timeout === undefined
        ? () => {}
        : after(timeout * 1000, () => {
            open.delete(key);
            late.add(key);
            note({ effect: "deny", by: "timeout" }, call, sessionId);
            toEditor({ jsonrpc: "2.0", method: "$/cancel_request", params: { requestId: id } });
            answer(false);
          });
    open.set(key, { answer, cancelTimer, options, call, sessionId });
    toEditor(question);
  }

  function onEditorLine(line: string): void {
    const message = parseJson(line);
    if (!isRecord(message)) return void (agent.send(line) || editor.pause());
    const method = textOf(message["method"]);
    if (method === undefined) return onEditorAnswer(message);
    if (/^session\/(?:new|load|resume|fork)$/.test(method)) {
      const params = recordIn(message, "params");
      const cwd = textOf(params["cwd"]);
      const sessionId = textOf(params["sessionId"]);
      if (cwd !== undefined) opening.set(keyOf(message["id"]), cwd);
      if (cwd !== undefined && sessionId !== undefined && method !== "session/fork") cwds.set(sessionId, cwd);
    }
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
    const isLogged = note({ effect: isAllowed ? "allow" : "deny", by: "editor" }, question.call, question.sessionId);
    // The user's own choice reaches the agent as it is, with its option.
    question.answer(isAllowed && isLogged, isLogged ? message : undefined);
  }

  function remember(id: string, fields: Fields): GuardedCall {
    const before = calls.get(id) ?? {};
    const given = Object.fromEntries(
      Object.entries(fields).filter(([, value]) => value !== undefined && value !== null),
    );
    const now = { ...before, ...given };
    calls.set(id, now);
    const [oldest] = calls.keys();
    if (calls.size > maxCalls && oldest !== undefined) calls.delete(oldest);
    return toolCallOf(now);
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
    const { kind, tool, servers, paths, command } = call;
    const isWritten = log.append({
      decision: decision.effect,
      by: decision.by,
      session,
      kind,
      tool,
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
  tool: undefined,
  servers: [],
  paths: [],
  command: undefined,
};

const ownOptions = [
  { optionId: "allow", name: "Allow", kind: "allow_once" },
  { optionId: "reject", name: "Reject", kind: "reject_once" },
] as const;

function keyOf(id: unknown): string {
  return JSON.stringify(id) ?? "";
}
