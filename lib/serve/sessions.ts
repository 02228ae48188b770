/**
 * Registry of the server's open sessions. Together they are one client of the hub, over one
 * connection in memory.
 *
 * A session may work only in the allowed directories and below them. Only conversations from
 * these directories can be listed, opened and deleted.
 */
import { realpath } from "node:fs/promises";
import { client, type ClientConnection, type PromptCapabilities, type SessionInfo } from "../acp/index.ts";
import type { Hub } from "../hub/index.ts";
import { errorCodes, RpcError } from "../rpc/index.ts";
import { isRecord } from "../schema/index.ts";
import { memoryPair } from "../wire/index.ts";
import { HttpError } from "./http-error.ts";
import type { Roots } from "./roots.ts";
import type { RewindReply, PageRewindRequest } from "./rewind.ts";
import { ServedSession } from "./session.ts";
import { type PageTask, backgroundTasks, stopTask } from "./tasks.ts";

export interface SessionsOptions {
  /** Owns the sessions. This registry is one of its clients. */
  readonly hub: Hub;
  readonly directories: Roots;
  readonly version: string;
  /** The directories sessions may work in; the first is the default. */
  readonly roots: readonly [string, ...string[]];
  readonly maxSessions: number;
  /** Per session. */
  readonly maxEventLogBytes?: number | undefined;
  readonly now: () => number;
  readonly onBug: (doing: string, cause: unknown) => void;
}

export interface OpenSessionRequest {
  readonly cwd?: string | undefined;
  /** A saved conversation to continue. */
  readonly sessionId?: string | undefined;
  /** The name of the agent; the first one by default. */
  readonly agent?: string | undefined;
  /** Values of configuration options, such as the engine, by option id. For a new session. */
  readonly options?: Readonly<Record<string, string>> | undefined;
}

export class ServedSessions {
  readonly #options: SessionsOptions;
  readonly #open = new Map<string, ServedSession>();
  /** Sessions being opened: the id of the saved conversation, or a unique symbol for a new session. */
  readonly #opening = new Set<string | symbol>();
  /** Sessions of other clients that appeared while sessions were being opened here. */
  readonly #unattached = new Set<string>();
  #agent: ClientConnection | undefined;

  constructor(options: SessionsOptions) {
    this.#options = options;
  }

  async connect(): Promise<void> {
    const { hub, version, onBug } = this.#options;
    const [hubEnd, clientEnd] = memoryPair();
    hub.connect(hubEnd, { role: "owner", keepsOpen: false });
    hub.follow((id) => setImmediate(() => this.#follow(id)));
    this.#agent = await client(
      clientEnd,
      {
        info: { name: "bowline-serve", version },
        // Asks the agent for terminal output and exit codes in `_meta`, see lib/packets; and the hub for
        // the beginning and end of other clients' turns.
        _meta: { terminal_output: true, bowline: {} },
        session: { notices: {} },
        handlers: () => ({
          "session/update": ({ sessionId, update }) => this.#open.get(sessionId)?.update(update),
          "session/request_permission": (request, { signal }) =>
            this.#open.get(request.sessionId)?.ask(request, signal) ?? { outcome: { outcome: "cancelled" } },
          "elicitation/create": (request, { signal }) =>
            ("sessionId" in request && this.#open.get(request.sessionId)?.elicit(request, signal)) || {
              action: "decline",
            },
        }),
        extensions: () => ({
          "_bowline/turn_started": (params) => this.#sessionOf(params)?.turnStarted(),
          "_bowline/turn_ended": (params) => this.#sessionOf(params)?.turnEnded(params),
        }),
      },
      { onBug },
    );
  }

  /** The default directory of a session. */
  get root(): string {
    return this.#options.roots[0];
  }

  get(id: string): ServedSession {
    const session = this.#open.get(id);
    if (session === undefined) throw notFound();
    return session;
  }

  /** Open sessions, newest first. */
  list(): readonly ServedSession[] {
    return [...this.#open.values()].reverse();
  }

  /** Saved conversations of the default directory that are not open. */
  async saved(): Promise<readonly SessionInfo[]> {
    const cwd = await realpath(this.#options.roots[0]);
    const { sessions } = await this.#connection().call("session/list", { cwd });
    const isWithin = await Promise.all(sessions.map((one) => this.#options.directories.isWithin(one.cwd)));
    return sessions.filter(({ sessionId }, i) => isWithin[i] === true && !this.#open.has(sessionId));
  }

  async open({ cwd: requested, sessionId, agent, options = {} }: OpenSessionRequest): Promise<ServedSession> {
    const { maxSessions } = this.#options;
    const opening = sessionId ?? Symbol("a new session");
    if (sessionId !== undefined && (this.#open.has(sessionId) || this.#opening.has(sessionId)))
      throw new HttpError("conflict", "the session is open");
    if (this.#open.size + this.#opening.size >= maxSessions)
      throw new HttpError("too_many", `${maxSessions} sessions are open already: close one first`);
    this.#opening.add(opening);
    try {
      const cwd = await this.#directory(requested);
      if (sessionId === undefined) return await this.#configured(await this.#create(cwd, agent), options);
      await this.#checkConversation(sessionId);
      return await this.#load(sessionId, cwd);
    } finally {
      this.#opening.delete(opening);
      if (this.#opening.size === 0) this.#attachWaiting();
    }
  }

  /** Ends a session and its processes. `isErased` also deletes the saved conversation. */
  async close(id: string, isErased: boolean): Promise<void> {
    const session = this.get(id);
    try {
      const own = { _meta: { bowline: { isForced: true } } };
      await this.#connection().call(isErased ? "session/delete" : "session/close", { sessionId: id, ...own });
    } finally {
      // Removed even when the agent fails to close it: the session is unusable then.
      this.#open.delete(id);
      session.end();
    }
  }

  /** The real path of a file that the session has made; only such files, and only in the allowed directories. */
  async artifactPath(id: string, path: string): Promise<string> {
    const isMade = this.get(id).artifacts.some((artifact) => artifact.path === path);
    const real = isMade ? await realpath(path).catch(() => undefined) : undefined;
    if (real !== undefined && (await this.#options.directories.isWithin(real))) return real;
    throw new HttpError("not_found", "the session has made no such file, or it is no longer there");
  }

  /** The agent's name and what its prompts may contain. */
  get about(): { readonly agent: string; readonly prompt: PromptCapabilities } {
    const agent = this.#connection();
    const { name = "", title } = agent.agentInfo ?? {};
    return { agent: title ?? name, prompt: agent.agentCapabilities.promptCapabilities ?? {} };
  }

  /** Saves another title for a conversation, open or not. */
  async rename(id: string, title: string): Promise<void> {
    const session = this.#open.get(id);
    if (session !== undefined) return session.rename(title);
    await this.#checkConversation(id);
    await this.#connection().call("session/set_title", { sessionId: id, title });
  }

  /** Deletes a saved conversation that is not open. */
  async remove(id: string): Promise<void> {
    if (this.#open.has(id) || this.#opening.has(id)) throw new HttpError("conflict", "the session is open");
    await this.#checkConversation(id);
    await this.#connection().call("session/delete", { sessionId: id });
  }

  /** Ends every session and the agent. */
  async closeAll(reason: string): Promise<void> {
    for (const session of this.#open.values()) session.end();
    this.#agent?.close(reason);
    await Promise.all([this.#agent?.settled, this.#options.hub.stop(reason)]);
  }

  #sessionOf(params: unknown): ServedSession | undefined {
    const id = isRecord(params) ? params["sessionId"] : undefined;
    return typeof id === "string" ? this.#open.get(id) : undefined;
  }

  /** Attaches to a session that another client has opened, and removes one that another client has closed. */
  #follow(id: string): void {
    const open = this.#options.hub.get(id);
    if (open !== undefined) return void this.#attach(open);
    const session = this.#open.get(id);
    this.#open.delete(id);
    session?.end();
  }

  async #attach({ id, cwd }: { readonly id: string; readonly cwd: string }): Promise<void> {
    if (this.#open.has(id) || this.#agent?.isOpen !== true) return;
    // A session that is being opened here is added when the agent has answered.
    if (this.#opening.size > 0) return void this.#unattached.add(id);
    try {
      await this.#load(id, cwd);
    } catch (cause) {
      if (this.#agent.isOpen && !(cause instanceof RpcError)) this.#options.onBug("attach", cause);
    }
  }

  #attachWaiting(): void {
    const ids = [...this.#unattached];
    this.#unattached.clear();
    for (const id of ids) this.#follow(id);
  }

  async #create(cwd: string, agent: string | undefined): Promise<ServedSession> {
    if (agent !== undefined && !this.#options.hub.sources.some(({ name }) => name === agent))
      throw new HttpError("bad_request", "agent must be one of GET /agents");
    const params = { cwd, mcpServers: [], ...(agent !== undefined && { _meta: { bowline: { agent } } }) };
    const { sessionId, configOptions } = await this.#connection().call("session/new", params);
    // No update is lost: the agent sends the first one in a later turn of the event loop than this response.
    const session = this.#add(sessionId, cwd);
    session.options = configOptions ?? [];
    return session;
  }

  /** Sets options of a session that has just been opened; a session that refuses one is closed. */
  async #configured(session: ServedSession, options: Readonly<Record<string, string>>): Promise<ServedSession> {
    try {
      for (const [configId, value] of Object.entries(options)) await session.set(configId, value);
      return session;
    } catch (cause) {
      await this.close(session.id, false);
      throw cause;
    }
  }

  /** Takes a message of the user back, with everything after it. */
  rewind(id: string, request: PageRewindRequest): Promise<RewindReply> {
    const session = this.get(id);
    const { cwd } = session;
    return session.rewind(request, () =>
      this.#connection().call("session/load", { sessionId: id, cwd, mcpServers: [] }),
    );
  }

  /** What runs in the background of the session. */
  tasks(id: string): Promise<readonly PageTask[]> {
    return backgroundTasks(this.#connection(), this.get(id).id);
  }

  stopTask(id: string, taskId: string): Promise<void> {
    return stopTask(this.#connection(), this.get(id).id, taskId);
  }

  async #load(sessionId: string, cwd: string): Promise<ServedSession> {
    // Added before the request: the agent replays the conversation before it responds.
    const session = this.#add(sessionId, cwd);
    try {
      const { configOptions } = await this.#connection().call("session/load", { sessionId, cwd, mcpServers: [] });
      session.options = configOptions ?? [];
      return session;
    } catch (cause) {
      this.#open.delete(sessionId);
      throw cause;
    }
  }

  #add(id: string, cwd: string): ServedSession {
    const { now, onBug, maxEventLogBytes, hub } = this.#options;
    const agentName = hub.sources.length > 1 ? hub.get(id)?.upstream.source.name : undefined;
    const agent = (): ClientConnection => this.#connection();
    const session = new ServedSession({ id, cwd, now, onBug, maxEventLogBytes, agent, agentName });
    this.#open.set(id, session);
    return session;
  }

  #connection(): ClientConnection {
    if (this.#agent?.isOpen !== true)
      throw new HttpError("unavailable", "the agent is gone: start bowline serve again");
    return this.#agent;
  }

  async #directory(requested: string | undefined): Promise<string> {
    const found = await this.#options.directories.find(requested);
    if (found.kind === "allowed") return found.path;
    throw new HttpError(found.kind === "missing" ? "bad_request" : "forbidden", found.why);
  }

  /** A conversation from outside the allowed directories gets the same error as an unknown one. */
  async #checkConversation(sessionId: string): Promise<void> {
    try {
      const { _meta: meta } = await this.#connection().call("session/status", { sessionId });
      const cwd = meta?.["cwd"];
      if (typeof cwd === "string" && (await this.#options.directories.isWithin(cwd))) return;
    } catch (cause) {
      if (!(cause instanceof RpcError) || cause.code !== errorCodes.resourceNotFound) throw cause;
    }
    throw notFound();
  }
}

/** One error for sessions that are not open, unknown conversations and forbidden ones, so that none can be probed. */
function notFound(): HttpError {
  return new HttpError("not_found", "Session not found");
}
