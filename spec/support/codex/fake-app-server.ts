/**
 * A small `codex app-server` in memory: each launch is a link to a new process that shares
 * its saved threads with the earlier ones.
 *
 * Requests that the specs do not care about are answered as Codex does. `on` replaces the
 * answer to a method. Turns do what the spec sends: `turnStarted`, `say`, `completed`.
 */
import type { CodexLauncher, CodexLink } from "../../../lib/codex/index.ts";
import { type Link, memoryPair } from "../../../lib/wire/index.ts";

export type Json = Readonly<Record<string, unknown>>;

/** What a request is answered with; undefined for no answer. */
export type FakeAnswer = { readonly result: unknown } | { readonly error: Json } | undefined;

export interface FakeRequest {
  readonly method: string;
  readonly params: Json;
  readonly trace: unknown;
}

export class FakeCodex {
  /** Every process that was launched. */
  readonly processes: FakeProcess[] = [];
  readonly launcher: CodexLauncher = () => {
    const process = new FakeProcess(this);
    this.processes.push(process);
    return process.link;
  };
  /** The threads that can be resumed. */
  readonly saved = new Set<string>();
  readonly #answers = new Map<string, (params: Json) => FakeAnswer>();
  #lastId = 0;

  /** The process that was launched last. */
  get current(): FakeProcess {
    const process = this.processes.at(-1);
    if (process === undefined) throw new Error("no app-server was launched");
    return process;
  }

  on(method: string, answer: (params: Json) => FakeAnswer): void {
    this.#answers.set(method, answer);
  }

  /** The turn that `turn/start` was last answered with. */
  lastTurnId = "";

  nextId(name: string): string {
    return `${name}-${++this.#lastId}`;
  }

  answerTo(method: string, params: Json): FakeAnswer {
    const own = this.#answers.get(method);
    if (own !== undefined) return own(params);
    const { threadId } = params;
    switch (method) {
      case "initialize":
        return { result: { userAgent: "bowline/0.166.0 (fake)", codexHome: "/home/user/.codex" } };
      case "config/read":
        return { result: { config: { projects: null } } };
      case "account/read":
        return { result: { account: { type: "apiKey" }, requiresOpenaiAuth: true } };
      case "model/list":
        return { result: { data: models, nextCursor: null } };
      case "thread/start":
        return { result: opened(this.nextId("thread"), params) };
      case "thread/fork":
        return { result: opened(this.nextId("thread"), params) };
      case "thread/resume":
        return this.saved.has(String(threadId))
          ? { result: opened(String(threadId), params) }
          : { error: { code: -32600, message: `no rollout found for thread id ${String(threadId)}` } };
      case "turn/start":
        this.saved.add(String(threadId));
        this.lastTurnId = this.nextId("turn");
        return { result: { turn: { id: this.lastTurnId, status: "inProgress", items: [] } } };
      case "thread/backgroundTerminals/list":
        return { result: { data: [] } };
      case "thread/loaded/list":
        return { result: { data: [], nextCursor: null } };
      default:
        return { result: {} };
    }
  }
}

export class FakeProcess {
  readonly link: CodexLink;
  readonly requests: FakeRequest[] = [];
  /** Answers to the requests of Codex, by id. */
  readonly answers = new Map<unknown, Json>();
  /** The process reads nothing and says nothing any more. */
  isHung = false;
  isClosed = false;
  isPaused = false;
  readonly #far: Link;
  readonly #codex: FakeCodex;
  readonly #waiting = new Set<() => void>();

  constructor(codex: FakeCodex) {
    const [near, far] = memoryPair();
    this.#codex = codex;
    this.#far = far;
    this.link = {
      open: near.open,
      send: near.send,
      close: near.close,
      pause: () => {
        this.isPaused = true;
        near.pause();
      },
      resume: () => {
        this.isPaused = false;
        near.resume();
      },
    };
    far.open({
      onLine: (line) => this.#onLine(JSON.parse(line) as Json),
      onFault: () => {},
      onDrain: () => {},
      onEnd: () => far.close("the program exited with code 0"),
      onClose: () => {
        this.isClosed = true;
        this.#changed();
      },
    });
  }

  /** The params of the requests with this method. */
  paramsOf(method: string): readonly Json[] {
    return this.requests.filter((one) => one.method === method).map(({ params }) => params);
  }

  /** Resolves with the params of the nth request with this method. */
  async request(method: string, index = 0): Promise<Json> {
    await this.until(() => this.paramsOf(method).length > index);
    return this.paramsOf(method)[index]!;
  }

  until(condition: () => boolean): Promise<void> {
    if (condition()) return Promise.resolve();
    return new Promise((resolve) => {
      const check = (): void => {
        if (!condition()) return;
        this.#waiting.delete(check);
        resolve();
      };
      this.#waiting.add(check);
    });
  }

  notify(method: string, params: Json): void {
    this.line(JSON.stringify({ method, params, emittedAtMs: 1 }));
  }

  /** A request of Codex. */
  ask(id: number, method: string, params: Json): void {
    this.line(JSON.stringify({ method, id, params }));
  }

  line(text: string): void {
    if (!this.isHung) this.#far.send(text);
  }

  turnStarted(threadId: string, turnId: string): void {
    this.notify("turn/started", { threadId, turn: { id: turnId, status: "inProgress", items: [] } });
  }

  /** Codex has taken the prompt. */
  prompted(threadId: string, turnId: string, clientId: unknown): void {
    const item = { type: "userMessage", id: `user-${turnId}`, clientId, content: [] };
    this.notify("item/started", { threadId, turnId, item });
    this.notify("item/completed", { threadId, turnId, item });
  }

  say(threadId: string, turnId: string, text: string, itemId = "msg"): void {
    this.notify("item/agentMessage/delta", { threadId, turnId, itemId, delta: text });
  }

  /** A command that runs. */
  command(threadId: string, turnId: string, itemId: string, status = "inProgress"): void {
    const item = { type: "commandExecution", id: itemId, command: "/bin/bash -lc 'sleep 9'", cwd: "/", status };
    const exit = status === "inProgress" ? {} : { exitCode: -1, aggregatedOutput: "" };
    const method = status === "inProgress" ? "item/started" : "item/completed";
    this.notify(method, { threadId, turnId, item: { ...item, ...exit, commandActions: [] } });
  }

  completed(threadId: string, turnId: string, status = "completed", more: Json = {}): void {
    this.notify("turn/completed", { threadId, turn: { id: turnId, status, items: [], ...more } });
  }

  /** The process dies. */
  crash(): void {
    this.#far.close("killed");
  }

  #onLine(message: Json): void {
    if (this.isHung) return;
    const { id, method, params, trace } = message;
    if (typeof method !== "string") {
      this.answers.set(id, message);
      return this.#changed();
    }
    if (id === undefined) return;
    const given = (params ?? {}) as Json;
    this.requests.push({ method, params: given, trace });
    const answer = this.#codex.answerTo(method, given);
    if (answer !== undefined) this.line(JSON.stringify({ id, ...answer }));
    this.#changed();
  }

  #changed(): void {
    for (const check of this.#waiting) check();
  }
}

const models = [
  {
    id: "gpt-a",
    model: "gpt-a",
    displayName: "GPT A",
    hidden: false,
    isDefault: true,
    supportedReasoningEfforts: [{ reasoningEffort: "low" }, { reasoningEffort: "high" }],
    defaultReasoningEffort: "low",
  },
  {
    id: "gpt-b",
    model: "gpt-b",
    displayName: "GPT B",
    hidden: false,
    supportedReasoningEfforts: [{ reasoningEffort: "high" }],
    defaultReasoningEffort: "high",
  },
];

function opened(id: string, params: Json): Json {
  return {
    thread: { id, cwd: params["cwd"], turns: [] },
    model: "gpt-a",
    modelProvider: "openai",
    cwd: params["cwd"],
    approvalPolicy: "on-request",
    approvalsReviewer: "user",
    sandbox: { type: "readOnly", networkAccess: false },
    reasoningEffort: null,
  };
}
