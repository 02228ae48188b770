/**
 * For each rule of `bowline check`, an agent that breaks it.
 */
import type { Json, ModelAgent } from "./model-agent.ts";

/** Does something else than the agent's own method, which it is given. */
function instead<K extends keyof ModelAgent>(
  agent: ModelAgent,
  name: K,
  change: (own: ModelAgent[K]) => ModelAgent[K],
): void {
  const own = agent[name];
  agent[name] = change((typeof own === "function" ? own.bind(agent) : own) as ModelAgent[K]);
}

/** Changes the result of a method. */
function answers(method: string, change: (result: any) => unknown): (agent: ModelAgent) => void {
  return (agent) => {
    const own = agent.handlers[method];
    agent.handlers[method] = async (params, id) => change(await own?.(params, id));
  };
}

/** Handles a method in its own way. */
function handles(method: string, handle: (params: Json) => unknown): (agent: ModelAgent) => void {
  return (agent) => void (agent.handlers[method] = handle);
}

function refuses(method: string): (agent: ModelAgent) => void {
  return handles(method, () => {
    throw new Error("no");
  });
}

/** Sends something else for certain messages. */
function writes(is: (message: Json) => boolean, change: (message: Json) => Json | string): (agent: ModelAgent) => void {
  return (agent) =>
    instead(agent, "write", (own) => (message) => {
      const changed = is(message) ? change(message) : message;
      if (typeof changed === "string") agent.writeLine(changed);
      else own(changed);
    });
}

function updates(kind: string, change: (update: Json) => Json): (agent: ModelAgent) => void {
  return writes(
    (message) => message["params"]?.update?.sessionUpdate === kind,
    ({ params, ...message }) => ({ ...message, params: { ...params, update: change(params.update) } }),
  );
}

const isAnswer = (message: Json): boolean => "result" in message || "error" in message;
const isError = (message: Json): boolean => "error" in message;
const hasCode =
  (code: number) =>
  (message: Json): boolean =>
    message["error"]?.code === code;

/** Does this in addition while it handles a prompt. */
function alsoWhileWorking(act: (agent: ModelAgent, sessionId: string) => void): (agent: ModelAgent) => void {
  return (agent) =>
    instead(agent, "work", (own) => (sessionId) => {
      act(agent, sessionId);
      return own(sessionId);
    });
}

export const faults: Readonly<Record<string, (agent: ModelAgent) => void>> = {
  "transport/exits": (agent) => void (agent.leaving = (end) => setTimeout(end, 200)),
  "transport/only-json": (agent) => agent.writeLine("listening on stdio"),
  "transport/only-messages": (agent) => agent.writeLine('{"level":"info"}'),
  "rpc/unknown-method": writes(hasCode(-32601), ({ id }) => ({ jsonrpc: "2.0", id, result: {} })),
  "rpc/custom-request": (agent) =>
    instead(agent, "answer", (own) => async (message) => {
      return message["method"].startsWith("_bowline.check/unknown") ? new Promise(() => {}) : own(message);
    }),
  "rpc/custom-notification": (agent) => instead(agent, "told", () => () => agent.die()),
  "rpc/invalid-params": writes(hasCode(-32602), ({ error, ...more }) => ({
    ...more,
    error: { ...error, code: -32603 },
  })),
  "rpc/number-id": writes(isAnswer, (message) => ({ ...message, id: message["id"] === -7 ? 7 : message["id"] })),
  "rpc/string-id": writes(isAnswer, (message) => ({ ...message, id: message["id"] === "1" ? 1 : message["id"] })),
  "rpc/parse-error": writes(hasCode(-32700), ({ error, ...more }) => ({ ...more, error: { ...error, code: -32603 } })),
  "rpc/parse-error-id": writes(hasCode(-32700), (message) => ({ ...message, id: 1 })),
  "rpc/invalid-request": writes(hasCode(-32600), () => ({ jsonrpc: "2.0", method: "_lost" })),
  "rpc/survives": (agent) =>
    instead(agent, "hear", (own) => (line) => (line === "[]" ? Promise.resolve(agent.die()) : own(line))),
  "rpc/answers-once": (agent) =>
    instead(agent, "write", (own) => (message) => {
      own(message);
      if (isAnswer(message)) own(message);
    }),
  "rpc/no-answer": (agent) =>
    instead(agent, "told", (own) => (method, params) => {
      own(method, params);
      agent.write({ jsonrpc: "2.0", id: null, result: {} });
    }),
  "rpc/result-or-error": writes(isAnswer, (message) => ({ ...message, result: {}, error: { code: 0, message: "" } })),
  "rpc/error-shape": writes(isError, (message) => ({ ...message, error: "no" })),
  "initialize/answers": refuses("initialize"),
  "initialize/shape": answers("initialize", (result) => ({ ...result, agentCapabilities: { loadSession: "yes" } })),
  "initialize/version": answers("initialize", (result) => ({ ...result, protocolVersion: 2 })),
  "initialize/other-version": (agent) => {
    const own = agent.handlers["initialize"];
    const { greet } = agent;
    agent.handlers["initialize"] = (params, id) =>
      params["protocolVersion"] === 1 ? own?.(params, id) : { ...greet.call(agent, params), ...params };
  },
  "initialize/version-kind": (agent) =>
    instead(agent, "greet", (own) => (params) => own({ ...params, protocolVersion: 1 })),
  "initialize/first": (agent) => void (agent.isInitialized = true),
  "initialize/silent": (agent) => agent.write({ jsonrpc: "2.0", method: "_hello" }),
  "initialize/again": (agent) =>
    instead(agent, "greet", (own) => (params) => {
      if (agent.isInitialized) agent.die();
      return own(params);
    }),
  "initialize/agent-info": answers("initialize", (result) => ({ ...result, agentInfo: undefined })),
  "initialize/auth-methods": answers("initialize", (result) => ({
    ...result,
    authMethods: [...result.authMethods, ...result.authMethods],
  })),
  "initialize/auth-terminal": answers("initialize", (result) => ({
    ...result,
    authMethods: [{ type: "terminal", id: "t", name: "Terminal" }],
  })),
  "initialize/auth-unknown": handles("authenticate", () => ({})),
  "session/new": answers("session/new", (result) => ({ ...result, sessionId: 5 })),
  "session/unique-ids": (agent) => instead(agent, "newId", () => () => "the-session"),
  "session/cwd": (agent) => instead(agent, "begin", (own) => (params) => own({ ...params, cwd: "/" })),
  "session/mcp-servers": (agent) => instead(agent, "begin", (own) => (params) => own({ ...params, mcpServers: [] })),
  "session/mcp-stdio": (agent) =>
    instead(agent, "connect", () => (servers) => agent.demand(servers.length === 0, -32603)),
  "session/mcp-connects": (agent) => instead(agent, "connect", () => () => {}),
  "session/unknown": handles("session/prompt", () => ({ stopReason: "end_turn" })),
  "options/mode": answers("session/new", ({ modes, ...result }) => ({
    ...result,
    modes: { ...modes, currentModeId: "none" },
  })),
  "options/set-mode": refuses("session/set_mode"),
  "options/unknown-mode": handles("session/set_mode", () => ({})),
  "options/default": answers("session/new", ({ configOptions, ...result }) => ({
    ...result,
    configOptions: configOptions.map((option: Json) => ({ ...option, currentValue: "none" })),
  })),
  "options/no-boolean": answers("session/new", ({ configOptions, ...result }) => ({
    ...result,
    configOptions: [...configOptions, { id: "fast", name: "Fast", type: "boolean", currentValue: true }],
  })),
  "options/set": answers("session/set_config_option", ({ configOptions: [first] }) => ({ configOptions: [first] })),
  "options/unknown": (agent) =>
    void (agent.handlers["session/set_config_option"] = () => ({ configOptions: agent.configOptions() })),
  "prompt/answers": answers("session/prompt", () => ({ stopReason: "auth_required" })),
  "prompt/empty": (agent) => {
    const { prompt } = agent;
    agent.handlers["session/prompt"] = (params) =>
      params["prompt"].length === 0 ? new Promise(() => {}) : prompt.call(agent, params);
  },
  "prompt/text": updates("agent_message_chunk", (update) => ({ ...update, sessionUpdate: "agent_thought_chunk" })),
  "prompt/updates": updates("agent_message_chunk", (update) => ({ ...update, content: [update["content"]] })),
  "prompt/own-session": alsoWhileWorking((agent) => agent.chunk("somebody-else", "hello")),
  "prompt/updates-first": (agent) =>
    instead(agent, "write", (own) => (message) => {
      own(message);
      if (message["result"]?.stopReason === "end_turn") agent.chunk([...agent.open.keys()][0] ?? "", "late");
    }),
  "prompt/unasked": alsoWhileWorking((agent, sessionId) =>
    agent.update(sessionId, { sessionUpdate: "notice", severity: "info", title: "Hello" }),
  ),
  "prompt/client-methods": alsoWhileWorking((agent, sessionId) => {
    void agent.ask("fs/read_text_file", { sessionId, path: "/a" });
  }),
  "tools/permission": (agent) =>
    instead(agent, "options", (own) => () => own().map((option) => ({ ...option, optionId: "same" }))),
  "tools/announced": updates("tool_call", (update) => ({ ...update, sessionUpdate: "tool_call_update" })),
  "tools/unique-ids": (agent) =>
    instead(agent, "update", (own) => (sessionId, update) => {
      own(sessionId, update);
      if (update["sessionUpdate"] === "tool_call") own(sessionId, update);
    }),
  "tools/ended": updates("tool_call_update", (update) => ({ ...update, status: "in_progress" })),
  "tools/paths": updates("tool_call", (update) => ({ ...update, locations: [{ path: "a.txt" }] })),
  "cancel/idle": (agent) =>
    instead(agent, "told", () => (method) => {
      if (method === "session/cancel") agent.handlers["session/prompt"] = () => ({ stopReason: "cancelled" });
    }),
  "cancel/at-once": (agent) => instead(agent, "told", () => () => {}),
  "cancel/mid-turn": (agent) => instead(agent, "told", () => () => {}),
  "cancel/others": (agent) => {
    let isAnyCancelled = false;
    instead(agent, "told", (own) => (method, params) => {
      isAnyCancelled = true;
      own(method, params);
    });
    answers("session/prompt", (result) => (isAnyCancelled ? { stopReason: "cancelled" } : result))(agent);
  },
  "saved/list": answers("session/list", () => ({ sessions: "none" })),
  "saved/list-none": answers("session/list", () => ({ sessions: [{ sessionId: "s", cwd: "/" }] })),
  "saved/list-cursor": handles("session/list", () => ({ sessions: [] })),
  "saved/listed": answers("session/list", () => ({ sessions: [] })),
  "saved/load": handles("session/load", () => ({})),
  "saved/load-unknown": handles("session/load", () => ({})),
  "saved/resume": (agent) =>
    void (agent.handlers["session/resume"] = (params, id) => agent.handlers["session/load"]?.(params, id)),
  "saved/fork": handles("session/fork", ({ sessionId }) => ({ sessionId })),
  "saved/close": handles("session/close", () => ({})),
  "saved/delete": handles("session/delete", () => ({})),
  "saved/delete-unknown": refuses("session/delete"),
};
