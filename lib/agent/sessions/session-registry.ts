/**
 * Holds the open sessions of one client, and opens them: new, loaded, resumed or
 * forked.
 *
 * A conversation is open in at most one session, because two CLIs would write to the
 * same transcript. `session/new` takes a prewarmed session if one fits; after each
 * opened session the next one is prewarmed.
 */
import { statSync } from "node:fs";
import type { AgentConnection, McpServer } from "../../acp/index.ts";
import type { Environment, ConversationTarget } from "../../claude/index.ts";
import { errorCodes, RpcError } from "../../rpc/index.ts";
import { notice, type ClientView } from "../../display/index.ts";
import { cliFailure, isUnknownConversation, unknownSession } from "../errors.ts";
import { mcpConfiguration } from "../cli/mcp-config.ts";
import type { SessionStore } from "./session-store.ts";
import { Session } from "../session/session.ts";
import type { SessionContext } from "../session/session-context.ts";
import type { Settings } from "../settings/settings.ts";
import { configFingerprint, PrewarmedSessions } from "./prewarmed-sessions.ts";

/** Sessions that may be open at once. Each may run a CLI. */
export const maxSessions = 1000;

/** The parameters that `session/new`, `load`, `resume` and `fork` share. */
export interface SessionRequest {
  readonly cwd: string;
  readonly additionalDirectories?: readonly string[] | undefined;
  readonly mcpServers?: readonly McpServer[] | undefined;
}

export interface SessionRegistryOptions extends Omit<SessionContext, "view" | "client"> {
  readonly store: SessionStore;
  readonly settings: Partial<Settings>;
  readonly env: Environment;
  /** False: sessions are started only when a client asks for them. */
  readonly prewarms: boolean;
  readonly textOf: ClientView["textOf"];
}

export class SessionRegistry {
  readonly #client: AgentConnection;
  readonly #options: SessionRegistryOptions;
  readonly #open = new Map<string, Session>();
  readonly #prewarmed: PrewarmedSessions;
  /** Directories in which a session was opened. Auto-resume applies only to the first session of a directory. */
  readonly #visited = new Set<string>();
  /** The last `reopen` of each conversation that is under way, by session id. */
  readonly #opening = new Map<string, Promise<Session>>();
  #isClosed = false;

  constructor(client: AgentConnection, options: SessionRegistryOptions) {
    this.#client = client;
    this.#options = options;
    this.#prewarmed = new PrewarmedSessions({
      after: options.after,
      // `keyOf` has written the key from a `SessionRequest`.
      open: (key) => this.#createSession(JSON.parse(key) as SessionRequest, { kind: "new", id: crypto.randomUUID() }),
      fingerprintOf: (key) => configFingerprint(options.env, (JSON.parse(key) as SessionRequest).cwd),
    });
  }

  get(sessionId: string): Session {
    const session = this.#open.get(sessionId);
    if (session === undefined) throw unknownSession(sessionId);
    return session;
  }

  find(sessionId: string): Session | undefined {
    return this.#open.get(sessionId);
  }

  async create(request: SessionRequest): Promise<Session> {
    checkDirectories(request);
    const session =
      (await this.#autoResume(request)) ??
      (await this.#takePrewarmed(request)) ??
      (await this.#start(this.#createSession(request, { kind: "new", id: crypto.randomUUID() })));
    this.#prewarm(request);
    return session;
  }

  /** Continues a conversation under its id. `replays`: the saved conversation is sent to the client first. */
  async reopen(sessionId: string, request: SessionRequest, replays: boolean, signal: AbortSignal): Promise<Session> {
    checkDirectories(request);
    // Two requests for one conversation run one after the other.
    const previous = this.#opening.get(sessionId);
    const opening = (previous ?? Promise.resolve())
      .catch(() => {})
      .then(() => this.#reopen(sessionId, request, replays, signal));
    this.#opening.set(sessionId, opening);
    try {
      return await opening;
    } finally {
      if (this.#opening.get(sessionId) === opening) this.#opening.delete(sessionId);
    }
  }

  /** Opens a new conversation that begins as a copy of another. */
  async fork(sessionId: string, request: SessionRequest): Promise<Session> {
    checkDirectories(request);
    const original = this.#open.get(sessionId);
    const copied = original?.conversationId ?? sessionId;
    const isSaved = await this.#options.store.has(copied);
    if (!isSaved && original === undefined) throw unknownSession(sessionId);
    const id = crypto.randomUUID();
    // An open session without a prompt has no transcript to copy.
    const target: ConversationTarget = isSaved ? { kind: "resume", id: copied, forkTo: id } : { kind: "new", id };
    const session = await this.#start(this.#createSession(request, target));
    this.#prewarm(request);
    return session;
  }

  async close(sessionId: string, reason: string): Promise<void> {
    const session = this.#open.get(sessionId);
    this.#open.delete(sessionId);
    await session?.close(reason);
  }

  /** Closes the prewarmed sessions, for example because the user signed out. */
  discardPrewarmed(reason: string): Promise<void> {
    return this.#prewarmed.clear(reason);
  }

  async closeAll(reason: string): Promise<void> {
    this.#isClosed = true;
    const ids = [...this.#open.keys()];
    await Promise.all([this.#prewarmed.close(reason), ...ids.map((id) => this.close(id, reason))]);
  }

  async #reopen(sessionId: string, request: SessionRequest, replays: boolean, signal: AbortSignal): Promise<Session> {
    const isSaved = await this.#options.store.has(sessionId);
    if (!isSaved && !this.#open.has(sessionId)) throw unknownSession(sessionId);
    // Two CLIs that write to one transcript would corrupt it.
    await this.close(sessionId, "it is opened again");
    this.#visited.add(request.cwd);
    // An open session without a prompt has no transcript, and starts as a new conversation under the same id.
    const session = this.#createSession(request, { kind: isSaved ? "resume" : "new", id: sessionId });
    const started = this.#start(session);
    started.catch(() => {});
    try {
      if (replays && isSaved) await this.#replay(session, signal);
      await started;
    } catch (cause) {
      // The replay and the start may both fail; the client gets the first error.
      await Promise.allSettled([started, session.close("it could not be opened")]);
      if (this.#open.get(sessionId) === session) this.#open.delete(sessionId);
      throw isUnknownConversation(cause) ? unknownSession(sessionId) : cause;
    }
    this.#prewarm(request);
    return session;
  }

  /** Adds a session to the open ones and waits for its CLI. A session that does not start is removed again. */
  async #start(session: Session): Promise<Session> {
    if (this.#isClosed) throw new RpcError(errorCodes.internalError, "the agent is about to end");
    if (this.#open.size >= maxSessions && !this.#open.has(session.id)) {
      const text = `too many sessions are open, the limit is ${maxSessions}: close one first`;
      throw new RpcError(errorCodes.internalError, text);
    }
    this.#open.set(session.id, session);
    try {
      await session.start();
      return session;
    } catch (cause) {
      if (this.#open.get(session.id) === session) this.#open.delete(session.id);
      throw cause;
    }
  }

  /** A prewarmed session that fits the request; undefined when there is none or it fails to start. */
  async #takePrewarmed(request: SessionRequest): Promise<Session | undefined> {
    const session = this.#prewarmed.take(keyOf(request));
    return session && this.#start(session).catch(() => undefined);
  }

  #prewarm(request: SessionRequest): void {
    if (this.#options.prewarms) this.#prewarmed.prepare(keyOf(request));
  }

  #createSession(request: SessionRequest, target: ConversationTarget): Session {
    const { cwd, additionalDirectories = [], mcpServers = [] } = request;
    const { settings } = this.#options;
    return new Session(
      { ...this.#options, client: this.#client, view: this.#viewOf(cwd) },
      { target, cwd, additionalDirectories, mcpServers: mcpConfiguration(mcpServers), settings },
    );
  }

  /** With the setting `auto_resume` the first session of a directory continues the last conversation there. */
  async #autoResume(request: SessionRequest): Promise<Session | undefined> {
    const isFirst = !this.#visited.has(request.cwd);
    this.#visited.add(request.cwd);
    if (!isFirst || this.#options.settings.autoResume !== true) return undefined;
    const id = await this.#options.store.latest(request.cwd);
    if (id === undefined || this.#open.has(id)) return undefined;
    return this.#start(this.#createSession(request, { kind: "resume", id })).catch((cause: unknown) => {
      // The CLI does not know the conversation any more: a new one is opened instead.
      if (isUnknownConversation(cause)) return undefined;
      throw cause;
    });
  }

  async #replay(session: Session, signal: AbortSignal): Promise<void> {
    const report = await this.#options.store
      .replay(session.id, (event) => session.replay(event), signal)
      .catch((cause: unknown) => Promise.reject(cliFailure(cause)));
    const { unreadableCount = 0, leftOutBytes = 0 } = report ?? {};
    const texts = [
      ...(unreadableCount > 0 ? [`${unreadableCount} lines of this conversation could not be read.`] : []),
      ...(leftOutBytes > 0 ? [`${leftOutBytes} bytes of long tool results were left out.`] : []),
    ];
    session.endReplay(texts.map((text) => notice(this.#viewOf(""), "warning", text)));
  }

  #viewOf(cwd: string): ClientView {
    const { session, _meta } = this.#client.clientCapabilities;
    return {
      cwd,
      showsTerminals: _meta?.["terminal_output"] === true,
      showsNotices: session?.notices != null,
      showsCompaction: session?.compaction != null,
      textOf: this.#options.textOf,
    };
  }
}

/** Requests with the same key can be served by the same prewarmed session. */
function keyOf({ cwd, additionalDirectories = [], mcpServers = [] }: SessionRequest): string {
  return JSON.stringify({ cwd, additionalDirectories, mcpServers });
}

/** Checks that every directory exists. Without the check the CLI would fail later, with an error that says less. */
function checkDirectories({ cwd, additionalDirectories = [] }: SessionRequest): void {
  const named = [
    ["cwd", cwd],
    ...additionalDirectories.map((path, i) => [`additionalDirectories.${i}`, path]),
  ] as const;
  for (const [name, path] of named) {
    if (!isDirectory(path ?? ""))
      throw new RpcError(errorCodes.invalidParams, `${name} must be a directory that exists`);
  }
}

function isDirectory(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  } catch {
    // An invalid path, or one that this user may not look at.
    return false;
  }
}
