/**
 * One open session of the hub: the agent that runs it, its log, and the clients that are
 * attached to it.
 *
 * Belongs to the server: clients come and go. Every update is numbered and encoded once,
 * and goes to every attached client. Prompts of all clients run one at a time.
 */
import { type ContentBlock, type LoadSessionResponse, PromptRequest } from "../../acp/index.ts";
import { type Call, errorCodes, RpcError } from "../../rpc/index.ts";
import { Fault } from "../../schema/index.ts";
import type { Schedule } from "../../wire/index.ts";
import { Attachment } from "./attachment.ts";
import { requestMeta, withBowlineMeta } from "../bowline-meta.ts";
import { forwarded } from "../upstream/forwarded.ts";
import type { LogBudget } from "./log-budget.ts";
import { restoreSettings } from "./restored-settings.ts";
import { PromptQueue } from "./prompt-queue.ts";
import { type Answerer, type HubQuestion, Questions, type QuestionsOptions } from "./questions.ts";
import { SessionState } from "./session-state.ts";
import type { Attached, SessionClient } from "./session-client.ts";
import { SessionTerminals } from "./session-terminals.ts";
import type { SessionReceiver, Upstream } from "../upstream/upstream.ts";
import { type EntryNeed, UpdateLog } from "./update-log.ts";

export interface HubSessionOptions extends Pick<QuestionsOptions, "nextId" | "now"> {
  /** The id that clients know. */
  readonly id: string;
  /** The id that the agent knows. */
  readonly agentSessionId: string;
  readonly cwd: string;
  /** The params of the request that opened it, such as its MCP servers; loading it again needs them. */
  readonly request: Readonly<Record<string, unknown>>;
  readonly upstream: Upstream;
  readonly maxLogChars: number;
  readonly budget: LogBudget;
  readonly after: Schedule;
  /** How long a session without clients and turns stays open; undefined: for ever. */
  readonly keepMs: number | undefined;
  /** Called when title, status or time of the session changes. */
  readonly onChange: () => void;
  /** Called when a turn has ended, however it ended. */
  readonly onTurn: () => void;
  /** Called when no client has used the session for `keepMs`. */
  readonly onUnused: () => void;
}

/** A session as lists show it. */
export interface HubSessionSummary {
  readonly id: string;
  readonly cwd: string;
  readonly title: string | null;
  readonly status: "idle" | "running" | "asking";
  /** Prompts that wait behind the running one. */
  readonly waiting: number;
  readonly updatedAt: string;
  /** The name of its agent. */
  readonly agent: string;
  /** How many clients are attached. */
  readonly clients: number;
}

export class HubSession implements SessionReceiver {
  readonly id: string;
  readonly agentSessionId: string;
  readonly cwd: string;
  readonly upstream: Upstream;
  readonly state = new SessionState();
  readonly questions: Questions;
  readonly #options: HubSessionOptions;
  readonly #prompts = new PromptQueue<Attached>();
  readonly #attached = new Map<SessionClient, Attached>();
  readonly #terminals = new SessionTerminals();
  /** The client that opened the session; serves files and terminals when the author of the prompt cannot. */
  #opener: SessionClient | undefined;
  #log: UpdateLog;
  #updatedMs: number;
  /** A turn runs that another hub was asked for; see `joinHub`. */
  #isRunningElsewhere = false;
  #cancelKeep = (): void => {};
  #isClosed = false;

  constructor(options: HubSessionOptions) {
    this.id = options.id;
    this.agentSessionId = options.agentSessionId;
    this.cwd = options.cwd;
    this.upstream = options.upstream;
    this.#options = options;
    this.#log = new UpdateLog(options.maxLogChars, options.budget);
    this.#updatedMs = options.now();
    this.questions = new Questions({
      sessionId: options.id,
      now: options.now,
      nextId: options.nextId,
      answerers: () => [...this.#attached.values()].map(({ answerer }) => answerer),
      onChange: options.onChange,
      onAnswered: (question, answer, by) => this.#tellAnswer(question, answer, by),
    });
    options.upstream.add(options.agentSessionId, this);
    this.#restartKeep();
  }

  get summary(): HubSessionSummary {
    return {
      id: this.id,
      cwd: this.cwd,
      title: this.state.title,
      status: this.questions.size > 0 ? "asking" : this.isRunning ? "running" : "idle",
      waiting: this.#prompts.waitingCount,
      updatedAt: new Date(this.#updatedMs).toISOString(),
      agent: this.upstream.source.name,
      clients: this.#attached.size,
    };
  }

  get isRunning(): boolean {
    return this.#prompts.isRunning || this.#isRunningElsewhere;
  }

  get log(): UpdateLog {
    return this.#log;
  }

  /** Whether the conversation can be loaded from the agent while the session is open. */
  get canReload(): boolean {
    return !this.isRunning && this.upstream.response.agentCapabilities?.loadSession === true;
  }

  /** Whether a client is attached that may prompt and for which the session stays open. */
  get hasOwners(): boolean {
    return [...this.#attached.values()].some(({ client, keepsOpen }) => keepsOpen && client.role === "owner");
  }

  attachmentOf(client: SessionClient): Attachment | undefined {
    return this.#attached.get(client)?.attachment;
  }

  isAttached(client: SessionClient): boolean {
    return this.#attached.has(client);
  }

  /** Attaches a client that has the log up to `afterId`; 0 replays the whole log. `startsPaused`: see `Attachment`. */
  attach(client: SessionClient, afterId: number, keepsOpen: boolean, startsPaused = false): Attached {
    this.detach(client);
    const attachment = new Attachment({ log: this.#log, client, afterId, after: this.#options.after, startsPaused });
    const answerer: Answerer = {
      canAnswer: (asked) => client.role === "owner" && client.canAnswer(asked),
      ask: async (method, params, signal) => {
        await attachment.caughtUp();
        return client.forward(method, this.#forClient(params), signal);
      },
    };
    const attached = { client, attachment, answerer, keepsOpen };
    this.#attached.set(client, attached);
    this.#opener ??= client;
    this.#restartKeep();
    return attached;
  }

  /** Sends the open questions to a client, after its request was answered. */
  askOpenQuestions(client: SessionClient): void {
    const attached = this.#attached.get(client);
    if (attached !== undefined) this.questions.attached(attached.answerer);
  }

  detach(client: SessionClient): void {
    const attached = this.#attached.get(client);
    if (attached === undefined) return;
    attached.attachment.end();
    this.#attached.delete(client);
    this.#restartKeep();
  }

  /** Runs a prompt of a client; resolves with the agent's answer after the client was sent every update of the turn. */
  async prompt(client: SessionClient, params: Readonly<Record<string, unknown>>, call: Call): Promise<unknown> {
    const author = this.#attached.get(client);
    if (author === undefined) throw notAttached(this.id);
    // A client that prompts has the answer that opened the session.
    author.attachment.release();
    const read = PromptRequest.read(params);
    if (read instanceof Fault)
      throw new RpcError(errorCodes.invalidParams, `session/prompt: ${read.describe("params")}`);
    // A client that cancels its request cancels the turn. One that is gone does not.
    call.signal.addEventListener("abort", () => client.isOpen && this.cancel(client), { once: true });
    const { promptId } = requestMeta(params);
    const run = (): Promise<unknown> => this.#runTurn(author, params, read.prompt, promptId);
    const answer = this.#prompts.push({ author, promptId, run });
    this.#options.onChange();
    try {
      return await answer;
    } finally {
      await this.#attached.get(client)?.attachment.caughtUp();
    }
  }

  /** Cancels the running turn and the prompts of this client that wait. */
  cancel(client: SessionClient | undefined): void {
    const author = client && this.#attached.get(client);
    this.#prompts.cancelWaiting(author);
    this.upstream.notify("session/cancel", { sessionId: this.agentSessionId });
    this.questions.cancelAll();
  }

  /** Calls a method of the agent for this session. */
  call(method: string, params: Readonly<Record<string, unknown>>, signal?: AbortSignal): Promise<unknown> {
    return this.upstream.call(method, { ...params, sessionId: this.agentSessionId }, { signal });
  }

  /** Sends an update that the hub makes; the client that caused it does not get it. */
  add(update: object, by?: SessionClient): void {
    const author = by && this.#attached.get(by)?.attachment.key;
    const need = this.state.updated({ sessionId: this.id, update });
    this.#append("session/update", { update }, need, author);
  }

  /**
   * Loads the conversation from the agent again, into a new log whose beginning is the beginning of the
   * conversation. `reader` gets all of it; the other attached clients continue in the new log after what was
   * loaded, and the session keeps its MCP servers, mode and options.
   */
  async reload(reader: SessionClient | undefined, keepsOpen: boolean): Promise<void> {
    const { cwd, upstream, agentSessionId } = this;
    const before = this.state.response;
    const previous = this.#log;
    this.#log = new UpdateLog(this.#options.maxLogChars, this.#options.budget);
    const others = [...this.#attached.values()].filter((one) => one.client !== reader);
    if (reader !== undefined) this.attach(reader, 0, keepsOpen);
    try {
      const again = { mcpServers: [], ...this.#options.request, sessionId: agentSessionId, cwd };
      const loaded = await upstream.call("session/load", again);
      await upstream.whenHandled(agentSessionId);
      // What the agent answers has the shape of a session's state; a client reads it as it comes.
      this.state.opened(Object(loaded) as LoadSessionResponse);
    } finally {
      for (const { attachment } of others) attachment.moveTo(this.#log);
      previous.close();
    }
    await this.#restore(before);
  }

  async #restore(before: LoadSessionResponse): Promise<void> {
    const isRestored = await restoreSettings(before, this.state.response, async (method, params) => {
      const result = await this.call(method, params);
      if (method === "session/set_mode")
        this.add({ sessionUpdate: "current_mode_update", currentModeId: params["modeId"] });
      else this.add({ sessionUpdate: "config_option_update", ...Object(result) });
    });
    if (isRestored) return;
    // The current values differ from those that the clients have.
    const { modes, configOptions } = this.state.response;
    if (modes != null) this.add({ sessionUpdate: "current_mode_update", currentModeId: modes.currentModeId });
    if (configOptions != null) this.add({ sessionUpdate: "config_option_update", configOptions });
  }

  readonly notified = (method: string, params: Readonly<Record<string, unknown>>): void | Promise<void> => {
    if (method.startsWith("_bowline/")) return this.#notifiedByHub(method, params);
    const need = method === "session/update" ? this.state.updated(params) : undefined;
    this.#append(method, params, need, undefined);
    return this.#whenSomeoneReads();
  };

  readonly requested = (method: string, params: Readonly<Record<string, unknown>>, call: Call): unknown => {
    if (method === "session/request_permission" || method === "elicitation/create")
      return this.questions.ask(method, params, call);
    const server = this.#terminals.ownerOf(method, params) ?? this.#serverOf(method);
    if (server === undefined)
      throw new RpcError(errorCodes.methodNotFound, `${method}: no attached client can do this`);
    const own = { ...params, sessionId: this.id };
    const served = forwarded(server.forward(method, own, call.signal), "the client");
    return this.#terminals.follow(method, own, server, served);
  };

  /** Ends the session for every client. */
  close(reason: string): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#cancelKeep();
    this.upstream.remove(this.agentSessionId);
    this.questions.cancelAll();
    this.#prompts.cancelWaiting();
    this.#append("_bowline/session_closed", { reason }, "bowline", undefined);
    for (const { attachment } of this.#attached.values()) attachment.end();
    this.#attached.clear();
    this.#log.close();
  }

  async #runTurn(
    author: Attached,
    params: Readonly<Record<string, unknown>>,
    content: readonly ContentBlock[],
    promptId: string | undefined,
  ): Promise<unknown> {
    this.#cancelKeep();
    this.state.prompted(content);
    const messageId = promptId ?? crypto.randomUUID();
    this.#append("_bowline/turn_started", { promptId }, "bowline", undefined);
    for (const block of content) {
      const update = { sessionUpdate: "user_message_chunk", content: block, messageId };
      this.#append(
        "session/update",
        { update, ...(promptId && ownMeta({ promptId })) },
        undefined,
        author.attachment.key,
      );
    }
    try {
      const answer = await this.call("session/prompt", params);
      await this.upstream.whenHandled(this.agentSessionId);
      this.#append("_bowline/turn_ended", { promptId, result: answer }, "bowline", undefined);
      return answer;
    } catch (cause) {
      const error = cause instanceof RpcError ? cause.toObject() : undefined;
      if (!this.#isClosed) this.#append("_bowline/turn_ended", { promptId, error }, "bowline", undefined);
      throw cause;
    } finally {
      this.#options.onTurn();
      // After the queue has taken the prompt out.
      queueMicrotask(() => this.#restartKeep());
      setImmediate(() => this.#options.onChange());
    }
  }

  #append(
    method: string,
    params: Readonly<Record<string, unknown>>,
    need: EntryNeed | undefined,
    author: symbol | undefined,
  ): void {
    this.#updatedMs = this.#options.now();
    const eventId = this.#log.eventId(this.#log.lastId + 1);
    const _meta = withBowlineMeta(params["_meta"], { eventId });
    const line = JSON.stringify({ jsonrpc: "2.0", method, params: { ...params, sessionId: this.id, _meta } });
    this.#log.append({ line, need, author });
  }

  /** The agent is another hub: a turn began or ended there. `#runTurn` reports our own turns. */
  #notifiedByHub(method: string, params: Readonly<Record<string, unknown>>): void {
    const isStart = method === "_bowline/turn_started";
    if ((!isStart && method !== "_bowline/turn_ended") || this.#prompts.isRunning) return;
    this.#isRunningElsewhere = isStart;
    this.#append(method, params, "bowline", undefined);
    this.#options.onChange();
  }

  /** While every client lags far behind, the agent's updates wait, so that they are not dropped before they were read. */
  #whenSomeoneReads(): void | Promise<void> {
    if (this.#attached.size === 0 || this.#log.chars < this.#options.maxLogChars / 2) return;
    const all = [...this.#attached.values()];
    if (!all.every(({ attachment }) => attachment.isLagging)) return;
    return Promise.race(all.map(({ attachment }) => attachment.caughtUp()));
  }

  /** Notifies the other clients of an answer and of the client that gave it. */
  #tellAnswer({ asked }: HubQuestion, answer: unknown, by: Answerer | undefined): void {
    const author = [...this.#attached.values()].find(({ answerer }) => answerer === by)?.attachment.key;
    const _meta = { bowline: { answered: answer } };
    const toolCallId = asked.kind === "permission" ? asked.request.toolCall.toolCallId : undefined;
    const update =
      toolCallId === undefined
        ? { sessionUpdate: "session_info_update", _meta }
        : { sessionUpdate: "tool_call_update", toolCallId, _meta };
    this.#append("session/update", { update }, undefined, author);
  }

  /** The author of the running prompt, or the client that opened the session. */
  #serverOf(method: string): SessionClient | undefined {
    const candidates = [this.#prompts.author?.client, this.#opener];
    return candidates.find(
      (client) => client?.role === "owner" && client.isOpen && this.#attached.has(client) && client.canServe(method),
    );
  }

  #forClient(params: unknown): unknown {
    return { ...Object(params), sessionId: this.id };
  }

  #restartKeep(): void {
    this.#cancelKeep();
    const { keepMs, after, onUnused } = this.#options;
    const isKeptOpen = [...this.#attached.values()].some(({ keepsOpen }) => keepsOpen);
    if (keepMs === undefined || isKeptOpen || this.#prompts.isRunning || this.#isClosed) return;
    this.#cancelKeep = after(keepMs, onUnused);
  }
}

export function notAttached(sessionId: string): RpcError {
  return new RpcError(errorCodes.resourceNotFound, "Session not found: load or resume it first", { sessionId });
}

function ownMeta(own: Readonly<Record<string, unknown>>): { readonly _meta: object } {
  return { _meta: { bowline: own } };
}
