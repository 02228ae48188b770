/**
 * The sessions of a server, which belong to the server and not to a connection.
 *
 * Speaks ACP to one or more agents, and ACP to many clients. A client that loads or
 * resumes a session that is open is attached to it; there is never a second conversation.
 */
import { type InitializeRequest, LoadSessionResponse } from "../acp/index.ts";
import { errorCodes, RpcError } from "../rpc/index.ts";
import { isRecord } from "../schema/index.ts";
import { type Link, type Schedule, realTimer } from "../wire/index.ts";
import { type ClientProfile, profileOf } from "./client/client-profile.ts";
import { HubClient } from "./client/hub-client.ts";
import { HubSession, type HubSessionOptions, type HubSessionSummary } from "./session/hub-session.ts";
import { joinHub, type SessionElsewhere } from "./join-hub.ts";
import { LogBudget } from "./session/log-budget.ts";
import type { HubQuestion } from "./session/questions.ts";
import type { ClientRole } from "./client/role.ts";
import { furtherDirectories } from "./client/session-setup-params.ts";
import { type Saved, SavedSessions } from "./upstream/saved-sessions.ts";
import type { UpstreamSource, Upstream } from "./upstream/upstream.ts";
import { defaultMaxLogChars } from "./session/update-log.ts";
import { UpstreamPool } from "./upstream/upstream-pool.ts";

/** Which directories sessions may work in. */
export interface DirectoryPolicy {
  /** The directory as the agent gets it. Throws an `RpcError` when sessions may not work there. */
  readonly admit: (cwd: string) => Promise<string>;
  /** Whether a conversation that was held there may be listed and opened. */
  readonly isWithin: (cwd: string) => Promise<boolean>;
}

export interface HubOptions {
  /** The first one is the default. */
  readonly sources: readonly [UpstreamSource, ...UpstreamSource[]];
  readonly directories?: DirectoryPolicy | undefined;
  /** All clients use one connection to the agent, which gets the first client's own `initialize`. */
  readonly hasOneProfile?: boolean | undefined;
  readonly maxSessions?: number | undefined;
  readonly maxClients?: number | undefined;
  /** How long a session without clients and turns stays open. Default: 60 minutes; 0: for ever. */
  readonly keepMs?: number | undefined;
  readonly maxLogChars?: number | undefined;
  readonly maxTotalLogChars?: number | undefined;
  readonly now?: (() => number) | undefined;
  readonly after?: Schedule | undefined;
  readonly onBug?: ((doing: string, cause: unknown) => void) | undefined;
}

export interface HubConnectionOptions {
  readonly role: ClientRole;
  /** Whether sessions stay open for a client that only attached to them. Default: true. */
  readonly keepsOpen?: boolean | undefined;
  /** Ends the connection of a client that does not read. Default: closes the link. */
  readonly drop?: ((why: string) => void) | undefined;
}

/** Numbers about the hub, without any content. */
export interface HubCounts {
  readonly sessions: number;
  readonly running: number;
  readonly waiting: number;
  readonly questions: number;
  readonly clients: number;
  readonly logChars: number;
  readonly turns: number;
  readonly agentStarts: number;
  readonly agentExits: number;
}

const defaultMaxSessions = 10_000;
const defaultMaxClients = 10_000;
const defaultKeepMs = 60 * 60_000;

export class Hub {
  readonly sources: HubOptions["sources"];
  readonly pool: UpstreamPool;
  readonly saved: SavedSessions;
  readonly #options: HubOptions;
  readonly #sessions = new Map<string, HubSession>();
  /** Sessions that are being opened, by their id. */
  readonly #opening = new Map<string, Promise<HubSession>>();
  readonly #clients = new Set<HubClient>();
  readonly #budget: LogBudget;
  readonly #changed = new Set<(sessionId: string) => void>();
  /** Connections to other hubs. */
  readonly #joined = new Set<Upstream>();
  #oneProfile: ClientProfile | undefined;
  #newCount = 0;
  #questionCount = 0;
  #turnCount = 0;
  #isClosed = false;

  constructor(options: HubOptions) {
    const { sources, after = realTimer, onBug = () => {} } = options;
    this.sources = sources;
    this.#options = options;
    this.#budget = new LogBudget(options.maxTotalLogChars);
    this.pool = new UpstreamPool({ after, onBug, onClosed: (upstream, reason) => this.#lost(upstream, reason) });
    this.saved = new SavedSessions({ sources, pool: this.pool, directories: options.directories });
  }

  /** Serves a client on a link until the link closes. */
  connect(link: Link, { role, keepsOpen = true, drop }: HubConnectionOptions): void {
    if (this.#clients.size >= (this.#options.maxClients ?? defaultMaxClients) || this.#isClosed) {
      link.open({ onLine: () => {}, onFault: () => {}, onDrain: () => {}, onEnd: () => {}, onClose: () => {} });
      return link.close(this.#isClosed ? "the server is about to end" : "too many clients are connected");
    }
    const client = new HubClient({ hub: this, link, role, keepsOpen, drop, onBug: this.#options.onBug ?? (() => {}) });
    this.#clients.add(client);
    void client.closed.then(() => {
      this.#clients.delete(client);
      for (const session of this.#sessions.values()) session.detach(client);
    });
  }

  /**
   * Shows the open sessions of another hub as sessions of this one, until the connection to it ends. They
   * stay the other hub's: closing one here only detaches from it. Resolves with why the connection ended.
   */
  async join(source: UpstreamSource): Promise<string> {
    const { onBug = () => {} } = this.#options;
    const upstream = await joinHub(source, {
      onBug,
      onOpened: (there, from) => this.#adopt(there, from),
      onClosed: (id, from) => {
        for (const session of this.#sessions.values())
          if (session.upstream === from && session.agentSessionId === id) this.#remove(session, "it was closed");
      },
    });
    if (this.#isClosed) await upstream.stop("the server is about to end");
    this.#joined.add(upstream);
    const reason = await upstream.closed;
    this.#joined.delete(upstream);
    this.#lost(upstream, reason);
    return reason;
  }

  /** How the client is described to the agent. */
  profileOf(request: InitializeRequest): ClientProfile {
    if (this.#options.hasOneProfile !== true) return profileOf(request);
    return (this.#oneProfile ??= { key: "one", request });
  }

  get(sessionId: string): HubSession | undefined {
    return this.#sessions.get(sessionId);
  }

  /** Whether the session's agent is still replaying the conversation. */
  isOpening(sessionId: string): boolean {
    return this.#opening.has(sessionId);
  }

  /** Open sessions, the newest last. */
  list(): readonly HubSessionSummary[] {
    return [...this.#sessions.values()].map(({ summary }) => summary);
  }

  questions(): readonly HubQuestion[] {
    return [...this.#sessions.values()].flatMap(({ questions }) => questions.list());
  }

  /** Answers a question of any session. False when it is not open. Throws an `RpcError` for a wrong answer. */
  answer(questionId: string, answer: unknown): boolean {
    for (const { questions } of this.#sessions.values()) if (questions.answer(questionId, answer)) return true;
    return false;
  }

  get counts(): HubCounts {
    const all = [...this.#sessions.values()];
    return {
      sessions: all.length,
      running: all.filter(({ isRunning }) => isRunning).length,
      waiting: all.reduce((sum, { summary }) => sum + summary.waiting, 0),
      questions: all.reduce((sum, { questions }) => sum + questions.size, 0),
      clients: this.#clients.size,
      logChars: this.#budget.chars,
      turns: this.#turnCount,
      agentStarts: this.pool.startCount,
      agentExits: this.pool.exitCount,
    };
  }

  /** Calls `onChange` with the id of a session that was opened, changed or closed. */
  follow(onChange: (sessionId: string) => void): () => void {
    this.#changed.add(onChange);
    return () => void this.#changed.delete(onChange);
  }

  /** The agent of this name, or the first one. Throws an `RpcError` for an unknown name. */
  source(name: string | undefined): UpstreamSource {
    const source = name === undefined ? this.sources[0] : this.sources.find((one) => one.name === name);
    if (source !== undefined) return source;
    const names = this.sources.map((one) => one.name).join(", ");
    throw new RpcError(errorCodes.invalidParams, `_meta.bowline.agent must be one of: ${names}`);
  }

  /** Opens a new session with `session/new` or `session/fork`. */
  async create(method: string, params: Readonly<Record<string, unknown>>, place: Saved): Promise<HubSession> {
    this.#checkCapacity();
    this.#newCount++;
    try {
      const cwd = await this.#admit(params["cwd"]);
      await this.#admitAll(furtherDirectories(params));
      return await this.pool.use(place.source, place.profile, (upstream) =>
        upstream.opening(async () => {
          const response = await upstream.call(method, { ...params, ...(cwd !== undefined && { cwd }) });
          const agentSessionId = isRecord(response) ? response["sessionId"] : undefined;
          if (typeof agentSessionId !== "string")
            throw new RpcError(errorCodes.internalError, `${place.source.title} opened a session without an id`);
          const id = this.#freeId(agentSessionId, upstream);
          return this.#add({ id, agentSessionId, cwd: cwd ?? "", request: params, upstream }, response);
        }),
      );
    } finally {
      this.#newCount--;
    }
  }

  /** Opens a saved conversation with `session/load` or `session/resume`, or waits for another client that opens it. */
  async reopen(
    method: string,
    params: Readonly<Record<string, unknown>>,
    sessionId: string,
    profile: ClientProfile,
    agent: string | undefined,
    onAdded: (session: HubSession) => void,
  ): Promise<{ readonly session: HubSession; readonly isOpener: boolean }> {
    const underway = this.#opening.get(sessionId);
    if (underway !== undefined) return { session: await underway, isOpener: false };
    this.#checkCapacity();
    const opening = this.#reopen(method, params, sessionId, profile, agent, onAdded);
    this.#opening.set(sessionId, opening);
    try {
      return { session: await opening, isOpener: true };
    } finally {
      this.#opening.delete(sessionId);
    }
  }

  /** Closes a session at the agent too. */
  async close(
    session: HubSession,
    reason: string,
    method: "session/close" | "session/delete" = "session/close",
  ): Promise<void> {
    try {
      const { sessionCapabilities } = session.upstream.response.agentCapabilities ?? {};
      if (method === "session/delete" || sessionCapabilities?.close != null) await session.call(method, {});
      else session.cancel(undefined);
    } finally {
      this.#remove(session, reason);
    }
  }

  /** Ends every session, client and agent. */
  async stop(reason: string): Promise<void> {
    this.#isClosed = true;
    await Promise.all([this.pool.stop(reason), ...[...this.#joined].map((upstream) => upstream.stop(reason))]);
    for (const session of this.#sessions.values()) session.close(reason);
    this.#sessions.clear();
    for (const client of this.#clients) client.close(reason);
    await Promise.all([...this.#clients].map((client) => client.closed));
  }

  async #reopen(
    method: string,
    params: Readonly<Record<string, unknown>>,
    sessionId: string,
    profile: ClientProfile,
    agent: string | undefined,
    onAdded: (session: HubSession) => void,
  ): Promise<HubSession> {
    const cwd = await this.#admit(params["cwd"]);
    await this.#admitAll(furtherDirectories(params));
    const source = await this.saved.sourceOf(sessionId, profile, agent);
    return this.pool.use(source, profile, async (upstream) => {
      // Added before the request: the agent replays the conversation before it responds.
      const place = { id: sessionId, agentSessionId: sessionId, cwd: cwd ?? "", request: params, upstream };
      const session = this.#add(place, {});
      onAdded(session);
      return this.#replay(session, method, { ...params, ...(cwd !== undefined && { cwd }) });
    });
  }

  /** Lets the agent replay the conversation of a session that was added for it. */
  async #replay(session: HubSession, method: string, params: Readonly<Record<string, unknown>>): Promise<HubSession> {
    try {
      const response = await session.call(method, params);
      await session.upstream.whenHandled(session.agentSessionId);
      session.state.opened(stateOf(response));
      return session;
    } catch (cause) {
      this.#remove(session, "it could not be opened");
      throw cause;
    }
  }

  /** Attaches to a session of another hub. It stays for as long as it is open there. */
  async #adopt({ id: agentSessionId, cwd, title }: SessionElsewhere, upstream: Upstream): Promise<void> {
    this.#checkCapacity();
    const id = this.#freeId(agentSessionId, upstream);
    const request = { cwd, mcpServers: [] };
    const session = this.#add({ id, agentSessionId, cwd, request, upstream }, {}, 0);
    session.state.title = title;
    const opening = this.#replay(session, "session/load", request);
    this.#opening.set(id, opening);
    await opening.finally(() => this.#opening.delete(id));
  }

  #add(
    place: Pick<HubSessionOptions, "id" | "agentSessionId" | "cwd" | "request" | "upstream">,
    response: unknown,
    keepMs: number = this.#options.keepMs ?? defaultKeepMs,
  ): HubSession {
    const { maxLogChars = defaultMaxLogChars, now = Date.now, after = realTimer } = this.#options;
    const session: HubSession = new HubSession({
      ...place,
      maxLogChars,
      budget: this.#budget,
      now,
      after,
      keepMs: keepMs === 0 ? undefined : keepMs,
      nextId: () => `question-${++this.#questionCount}`,
      onChange: () => this.#tell(place.id),
      onTurn: () => void this.#turnCount++,
      onUnused: () =>
        void this.close(session, "no client used it").catch((cause: unknown) => this.#options.onBug?.("close", cause)),
    });
    session.state.opened(stateOf(response));
    this.#sessions.set(place.id, session);
    this.#tell(place.id);
    return session;
  }

  #remove(session: HubSession, reason: string): void {
    if (this.#sessions.get(session.id) === session) this.#sessions.delete(session.id);
    session.close(reason);
    this.pool.sessionClosed(session.upstream);
    this.#tell(session.id);
  }

  #lost(upstream: Upstream, reason: string): void {
    for (const session of this.#sessions.values())
      if (session.upstream === upstream) this.#remove(session, `its agent is gone: ${reason}`);
  }

  #tell(sessionId: string): void {
    for (const onChange of this.#changed) onChange(sessionId);
  }

  /** Two agents may choose the same id. */
  #freeId(agentSessionId: string, { source }: Upstream): string {
    if (!this.#sessions.has(agentSessionId) && !this.#opening.has(agentSessionId)) return agentSessionId;
    return `${source.name}:${crypto.randomUUID()}`;
  }

  #checkCapacity(): void {
    const { maxSessions = defaultMaxSessions } = this.#options;
    if (this.#isClosed) throw new RpcError(errorCodes.internalError, "the server is about to end");
    if (this.#sessions.size + this.#newCount + this.#opening.size >= maxSessions)
      throw new RpcError(errorCodes.internalError, `${maxSessions} sessions are open already: close one first`);
  }

  /** The directory as the agent gets it. A value that is no string is left to the agent to refuse. */
  async #admit(cwd: unknown): Promise<string | undefined> {
    if (typeof cwd !== "string") return undefined;
    return this.#options.directories === undefined ? cwd : this.#options.directories.admit(cwd);
  }

  async #admitAll(directories: readonly unknown[]): Promise<void> {
    for (const one of directories) await this.#admit(one);
  }
}

function stateOf(response: unknown): LoadSessionResponse {
  const read = LoadSessionResponse.read(response);
  return isRecord(read) ? read : {};
}
