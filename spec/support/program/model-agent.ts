/**
 * A small agent that keeps every rule of `bowline check`, made of parts that a spec can
 * replace one by one.
 *
 * Writes plain lines, so that it can send what no library would. `disk` outlives a run,
 * as files do.
 */
import { memoryPair, type Link } from "../../../lib/wire/index.ts";

export type Json = Record<string, any>;

export interface Disk {
  readonly saved: Map<string, { readonly cwd: string; readonly said: readonly string[] }>;
  isMcpStarted: boolean;
}

/** An answer that is an error. */
class Refusal extends Error {
  readonly code: number;

  constructor(code: number) {
    super("refused");
    this.code = code;
  }
}

export class ModelAgent {
  readonly disk: Disk;
  readonly link: Link;
  readonly handlers: Record<string, (params: Json, id: unknown) => unknown>;
  readonly open = new Map<string, { readonly cwd: string; cancel: (() => void) | undefined }>();
  isInitialized = false;
  /** How the client sees the end of this agent. */
  leaving = (end: () => void): void => end();
  readonly #far: Link;
  readonly #asked = new Map<string, (answer: Json) => void>();
  #count = 0;

  constructor(disk: Disk) {
    this.disk = disk;
    const [near, far] = memoryPair();
    this.#far = far;
    this.link = {
      ...near,
      open: (callbacks) =>
        near.open({
          onLine: (line) => callbacks.onLine(line),
          onFault: (fault) => callbacks.onFault(fault),
          onDrain: () => callbacks.onDrain(),
          onEnd: () => callbacks.onEnd(),
          onClose: (reason) => this.leaving(() => callbacks.onClose(reason)),
        }),
    };
    far.open({
      onLine: (line) => void this.hear(line),
      onFault: () => {},
      onDrain: () => {},
      onEnd: () => {
        for (const { cancel } of this.open.values()) cancel?.();
        far.close("the client went");
      },
      onClose: () => {},
    });
    this.handlers = {
      initialize: (params) => this.greet(params),
      authenticate: ({ methodId }) => this.demand(methodId === "token", -32602),
      "session/new": (params) => this.begin(params),
      "session/prompt": (params) => this.prompt(params),
      "session/set_mode": ({ modeId }) => this.demand(["ask", "code"].includes(modeId), -32602),
      "session/set_config_option": ({ configId }) => {
        this.demand(configId === "model", -32602);
        return { configOptions: this.configOptions() };
      },
      "session/list": ({ cwd, cursor }) => {
        this.demand(cursor === undefined, -32602);
        const all = [...this.disk.saved].map(([sessionId, one]) => ({ sessionId, cwd: one.cwd }));
        return { sessions: all.filter((one) => cwd === undefined || one.cwd === cwd) };
      },
      "session/load": ({ sessionId, cwd }) => {
        const saved = this.disk.saved.get(sessionId);
        if (saved === undefined) throw new Refusal(-32002);
        this.open.set(sessionId, { cwd, cancel: undefined });
        saved.said.forEach((text, i) => this.chunk(sessionId, text, i % 2 === 0 ? "user" : "agent"));
        return {};
      },
      "session/resume": ({ sessionId }) => this.demand(this.disk.saved.has(sessionId), -32002),
      "session/fork": (params) => this.begin(params),
      "session/close": ({ sessionId }) => void this.open.delete(sessionId),
      "session/delete": ({ sessionId }) => void this.disk.saved.delete(sessionId),
    };
  }

  /** A line as received. */
  async hear(line: string): Promise<void> {
    let message: Json;
    try {
      message = JSON.parse(line);
    } catch {
      return this.write({ jsonrpc: "2.0", id: null, error: { code: -32700, message: "not JSON" } });
    }
    if (typeof message !== "object" || message === null || Array.isArray(message))
      return this.write({ jsonrpc: "2.0", id: null, error: { code: -32600, message: "no message" } });
    if ("result" in message || "error" in message) return this.#asked.get(String(message["id"]))?.(message);
    if (typeof message["method"] !== "string")
      return this.write({ jsonrpc: "2.0", id: null, error: { code: -32600, message: "no request" } });
    if (message["id"] === undefined) return this.told(message["method"], message["params"]);
    this.write({ jsonrpc: "2.0", id: message["id"], ...(await this.answer(message)) });
  }

  async answer({ method, params, id }: Json): Promise<Json> {
    try {
      const handler = this.handlers[method];
      this.demand(this.isInitialized || method === "initialize", -32600);
      if (handler === undefined) throw new Refusal(-32601);
      return { result: (await handler(params ?? {}, id)) ?? {} };
    } catch (cause) {
      return { error: { code: cause instanceof Refusal ? cause.code : -32603, message: String(cause) } };
    }
  }

  told(method: string, params: Json): void {
    if (method === "session/cancel") this.open.get(params["sessionId"])?.cancel?.();
  }

  greet({ protocolVersion }: Json): Json {
    this.demand(Number.isInteger(protocolVersion), -32602);
    this.isInitialized = true;
    return {
      protocolVersion: 1,
      agentInfo: { name: "model", version: "1.0.0" },
      authMethods: [{ id: "token", name: "Token" }],
      agentCapabilities: {
        loadSession: true,
        sessionCapabilities: { list: {}, resume: {}, fork: {}, close: {}, delete: {} },
      },
    };
  }

  begin({ cwd, mcpServers }: Json): Json {
    this.demand(typeof cwd === "string" && cwd.startsWith("/") && Array.isArray(mcpServers), -32602);
    this.connect(mcpServers);
    const sessionId = this.newId();
    this.open.set(sessionId, { cwd, cancel: undefined });
    return {
      sessionId,
      modes: {
        currentModeId: "ask",
        availableModes: [
          { id: "ask", name: "Ask" },
          { id: "code", name: "Code" },
        ],
      },
      configOptions: this.configOptions(),
    };
  }

  newId(): string {
    return `session-${crypto.randomUUID()}`;
  }

  connect(mcpServers: readonly unknown[]): void {
    if (mcpServers.length > 0) this.disk.isMcpStarted = true;
  }

  configOptions(): Json[] {
    const options = [{ value: "small", name: "Small" }];
    return [
      { id: "model", name: "Model", type: "select", currentValue: "small", options },
      { id: "depth", name: "Depth", type: "select", currentValue: "deep", options: [{ value: "deep", name: "Deep" }] },
    ];
  }

  /** A long prompt lasts until it is cancelled, or until a limit. */
  async prompt({ sessionId, prompt }: Json): Promise<Json> {
    const session = this.open.get(sessionId);
    if (session === undefined) throw new Refusal(-32002);
    const [{ text }] = prompt;
    const said = this.disk.saved.get(sessionId)?.said ?? [];
    this.disk.saved.set(sessionId, { cwd: session.cwd, said: [...said, text, "Done."] });
    if (text !== "long") {
      await this.work(sessionId);
      return { stopReason: "end_turn" };
    }
    this.chunk(sessionId, "One");
    const isCancelled = await new Promise<boolean>((resolve) => {
      const timer = setTimeout(() => resolve(false), 130);
      session.cancel = () => {
        clearTimeout(timer);
        resolve(true);
      };
    });
    session.cancel = undefined;
    return { stopReason: isCancelled ? "cancelled" : "end_turn" };
  }

  async work(sessionId: string): Promise<void> {
    const toolCallId = this.newToolCallId();
    const locations = [{ path: "/project/a.txt", line: 1 }];
    this.update(sessionId, { sessionUpdate: "tool_call", toolCallId, title: "Edit", kind: "edit", locations });
    await this.ask("session/request_permission", { sessionId, toolCall: { toolCallId }, options: this.options() });
    this.update(sessionId, { sessionUpdate: "tool_call_update", toolCallId, status: "failed" });
    this.chunk(sessionId, "Done.");
  }

  newToolCallId(): string {
    return `call-${++this.#count}`;
  }

  options(): Json[] {
    return [
      { optionId: "yes", name: "Yes", kind: "allow_once" },
      { optionId: "no", name: "No", kind: "reject_once" },
    ];
  }

  ask(method: string, params: Json): Promise<Json> {
    const id = `ask-${++this.#count}`;
    return new Promise((resolve) => {
      this.#asked.set(id, resolve);
      this.write({ jsonrpc: "2.0", id, method, params });
    });
  }

  chunk(sessionId: string, text: string, who = "agent"): void {
    this.update(sessionId, { sessionUpdate: `${who}_message_chunk`, content: { type: "text", text } });
  }

  update(sessionId: string, update: Json): void {
    this.write({ jsonrpc: "2.0", method: "session/update", params: { sessionId, update } });
  }

  demand(isSo: boolean, code: number): void {
    if (!isSo) throw new Refusal(code);
  }

  write(message: Json): void {
    this.writeLine(JSON.stringify(message));
  }

  writeLine(line: string): void {
    this.#far.send(line);
  }

  /** Exits at once. */
  die(): void {
    this.#far.close("it died");
  }
}
